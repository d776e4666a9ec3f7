import type { InterceptionRule } from '../browser/page/requests/interception.ts';
import type { Page } from '../browser/page/page.ts';
import type { GateSession } from '../egress/gate/gate-session.ts';
import { ServiceError } from '../ground/errors.ts';
import type { StandIn, StandInMaker } from '../feature.ts';
import { navigate, type Source } from './navigation.ts';
import { openSource } from './open-source.ts';
import type { StepContext } from '../steps/common/step.ts';
import { type CaptureOptions, features } from './request/options.ts';

type Maker = StandInMaker<CaptureOptions>;

interface Opening {
  readonly bounds: Parameters<typeof navigate>[2];
  readonly gateSession: Pick<GateSession, 'serve'>;
  readonly maxPixels: number;
  readonly warn: StepContext['warn'];
}

/**
 * Navigates to what the request names. If that is a file which a feature shows as a page, such as a PDF, opens that
 * page under the address of the file, and changes the options to those that it needs. Returns the file if it is the
 * result itself.
 * @throws ServiceError like `navigate`, and those of the feature
 */
export async function openPage(page: Page, options: CaptureOptions, opening: Opening): Promise<Buffer | undefined> {
  const { bounds, gateSession, maxPixels, warn } = opening;
  const standIn = await open(page, options, { bounds, gateSession, maxPixels });
  if (standIn === undefined) return undefined;
  Object.assign(options, standIn.instead);
  for (const code of standIn.warnings) warn(code);
  return standIn.result;
}

async function open(
  page: Page,
  options: CaptureOptions,
  { bounds, gateSession, maxPixels }: Omit<Opening, 'warn'>,
): Promise<StandIn | undefined> {
  const makers = features.flatMap(({ standIn = [] }) => standIn);
  const [given] = makers.flatMap((maker) => {
    const body = maker.given(options);
    return body === undefined ? [] : [{ maker, body }];
  });
  if (given !== undefined) {
    const made = await given.maker.make(given.body, options, { page, maxPixels });
    await navigate(page, { url: gateSession.serve(made) }, bounds);
    return made;
  }
  const source = await openSource(page, options, gateSession);
  const file = await navigateToFile(page, source, { makers, bounds, options });
  if (file === undefined) return undefined;
  const made = await file.maker.make(file.body, options, { page, maxPixels });
  await answerInstead(page, file.url, gateSession.serve({ ...made, status: file.status }));
  await navigate(page, { url: file.url }, bounds);
  return made;
}

interface Navigating extends Pick<Opening, 'bounds'> {
  readonly makers: readonly Maker[];
  readonly options: CaptureOptions;
}

/** Navigates. Returns the file that the address leads to, or undefined for a web page. */
async function navigateToFile(
  page: Page,
  source: Source,
  { makers, bounds, options }: Navigating,
): Promise<TakenFile | undefined> {
  const isLikely = makers.some((maker) => maker.isLikely(options));
  try {
    return await navigateTaking(page, source, bounds, isLikely ? await takeFiles(page, makers) : undefined);
  } catch (error) {
    if (!isOfFile(page, error, makers)) throw error;
    // Only the type of the answer has shown that it is such a file, so it is requested a second time.
    const file = await navigateTaking(page, source, bounds, await takeFiles(page, makers)).catch(() => undefined);
    if (file === undefined) throw error;
    return file;
  }
}

/** Navigates until the page is loaded, or a file was taken: the browser then reports a failure, but late. */
async function navigateTaking(
  page: Page,
  source: Source,
  bounds: Opening['bounds'],
  taking: Taking | undefined,
): Promise<TakenFile | undefined> {
  const navigation = navigate(page, source, bounds).then(() => undefined);
  const file = await Promise.race([navigation, ...(taking === undefined ? [] : [taking.taken])]);
  if (file === undefined) return await navigation;
  navigation.catch(() => undefined);
  return file;
}

const DISPOSITION = 'content-disposition';

/** True if the browser would download the file, because it has no page for its type. */
function isOfFile({ mainFrame }: Page, error: unknown, makers: readonly Maker[]): boolean {
  const answer = mainFrame.lastAnswer();
  const url = mainFrame.lastRequested();
  if (answer === undefined || url === undefined) return false;
  if (!(error instanceof ServiceError) || error.type !== 'NavigationError') return false;
  const disposition = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === DISPOSITION)?.[1] ?? '';
  return makers.some((maker) => maker.isOfType({ mimeType: answer.mimeType, url, disposition }));
}

type PausedAnswer = Parameters<NonNullable<InterceptionRule['takesAnswer']>>[0];

interface TakenFile {
  readonly maker: Maker;
  readonly url: string;
  readonly status: number | undefined;
  readonly body: Buffer;
}

interface Taking {
  /** Settles when a file was taken. */
  readonly taken: Promise<TakenFile | undefined>;
}

/**
 * Takes the body of the next answer that is a file of such a type: the browser would throw it away.
 */
async function takeFiles(page: Page, makers: readonly Maker[]): Promise<Taking> {
  const taking = Promise.withResolvers<TakenFile | undefined>();
  taking.promise.catch(() => undefined); // nobody may wait for it any more
  let isTaken = false;
  await page.intercept({
    patterns: [{ resourceType: 'Document', requestStage: 'Response' }],
    takesAnswer: (paused) => {
      const maker = isTaken || paused.frameId !== page.mainFrameId ? undefined : makerFor(paused, makers);
      if (maker === undefined) return undefined;
      isTaken = true;
      return async (handle) => {
        const reading = page.readStream(handle).then((body) => {
          const { request, responseStatusCode: status } = paused;
          return maker.isFile(body) ? { maker, url: request.url, status, body } : undefined;
        });
        taking.resolve(reading);
        await reading.catch(() => undefined); // the caller gets the error
      };
    },
  });
  return { taken: taking.promise };
}

function makerFor(
  { responseHeaders = [], request, responseStatusCode: status = 0 }: PausedAnswer,
  makers: readonly Maker[],
): Maker | undefined {
  if (status < 200 || status === 204 || status === 205 || (status >= 300 && status < 400)) return undefined;
  const header = (requested: string): string =>
    responseHeaders.find(({ name }) => name.toLowerCase() === requested)?.value ?? '';
  const [type = ''] = header('content-type').toLowerCase().split(';', 1);
  const answer = { mimeType: type.trim(), url: request.url, disposition: header(DISPOSITION) };
  return makers.find((maker) => maker.isOfType(answer));
}

/** Answers requests for an address from another. The page sees the requested one. */
async function answerInstead(page: Page, url: string, address: string): Promise<void> {
  const [requested = ''] = url.split('#', 1);
  await page.intercept({
    patterns: [{ urlPattern: requested.replaceAll('\\', '\\\\') }],
    onRequest: ({ request }) => (request.url === requested ? { block: false, url: address } : undefined),
  });
}
