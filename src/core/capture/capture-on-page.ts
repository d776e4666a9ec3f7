import { DocumentReplacedError } from '../browser/browser-errors.ts';
import { WHILE_IT_NAVIGATES } from '../browser/page/evaluate.ts';
import type { MainDocument } from '../browser/page/main-frame.ts';
import type { Page } from '../browser/page/page.ts';
import type { KnownRequest } from '../browser/page/requests/silence.ts';
import type { PageLease } from '../browser/pool/lease.ts';
import { resultTooLarge, ServiceError } from '../ground/errors.ts';
import type { Format, Rendering, RenderLimits } from './formats/format.ts';
import { FORMATS } from './request/formats.ts';
import { withRetries } from '../ground/retries.ts';
import { withTimeout } from '../ground/timeouts.ts';
import { navigate, settle } from './navigation.ts';
import { explainFailure } from './navigation-errors.ts';
import type { CaptureOptions } from './request/options.ts';
import { withoutLogin } from '../egress/url-login.ts';
import type { Parts } from '../feature.ts';
import { accompany } from './companions.ts';
import type { DigestOf } from './digest.ts';
import { BEFORE_NAVIGATION, stepsAfterLoad } from './pipeline.ts';
import { isSupplied, namesOwnFile } from './open-source.ts';
import { openPage } from './stand-in.ts';
import { isBelowWindow } from '../steps/area.ts';
import { createBlockedRequests } from '../steps/common/blocked-requests.ts';
import type { StepContext, WarningCode } from '../steps/common/step.ts';
import { moveMouse } from '../steps/readiness/first-interaction.ts';
import { doesNotAnswer } from '../steps/common/waiting.ts';
import type { Phase, Stopwatch } from '../steps/common/stopwatch.ts';
import { LIMIT_MS } from '../ground/time-limits.ts';

/** A finished capture. Stored by the cache, so it has plain values and Buffers only. */
export interface Captured {
  /** The result in the requested format, or the pictures of `facts.elements`, one after the other. */
  readonly file: Buffer;
  /** The parts that the options include. */
  readonly parts: Parts;
  readonly facts: CaptureFacts;
}

/** What the headers and metadata of an answer say about a capture. Jobs store it. */
export interface CaptureFacts extends Pick<Rendering, 'size' | 'scale' | 'place' | 'elements'> {
  /** HTTP status of the page. Undefined for supplied markup. */
  readonly targetStatus?: number | undefined;
  /** Final URL after redirects, without a login. */
  readonly targetUrl?: string | undefined;
  /** Connections of the page that the egress rules refused. */
  readonly blockedRequests: number;
  /** Requests that fields such as `block_ads` blocked. */
  readonly filteredRequests: number;
  readonly warnings: readonly WarningCode[];
  /** Milliseconds of each phase, of the attempt that succeeded. */
  readonly timings: Readonly<Record<Phase, number>>;
  /** Id of the request that made the capture. Undefined without parts. */
  readonly requestId?: string | undefined;
  /** SHA-256 of what a reproducible capture depends on, in hexadecimal digits. Undefined for others. */
  readonly digest?: string | undefined;
  /** SHA-256 of the file in hexadecimal digits. Undefined without parts. */
  readonly sha256?: string | undefined;
}

export interface CaptureLimits extends RenderLimits, Pick<StepContext, 'lists' | 'log'> {
  readonly stopwatch: Stopwatch;
  readonly digestOf: DigestOf;
  /** Time limit of the whole capture, on the clock of `performance.now()`. */
  readonly endsAt: number;
}

interface ContextParts extends Pick<StepContext, 'blocked' | 'gateSession' | 'lists' | 'log'> {
  readonly bounds: Parameters<typeof settle>[1];
  readonly warnings: Set<WarningCode>;
}

/**
 * Runs one capture on a page: steps before navigation, navigation, steps after load, rendering.
 * @throws ServiceError for faults of the page or the request; errors of `browser-errors.ts` if the tab is lost
 */
export async function captureOnPage(
  { page, gateSession, prepareOthers }: PageLease,
  requested: CaptureOptions,
  { stopwatch, endsAt, lists, log, digestOf, ...limits }: CaptureLimits,
): Promise<Captured> {
  const options = { ...requested }; // a page that stands for a file changes some
  const format = FORMATS[options.format];
  const warnings = new Set<WarningCode>();
  const blocked = createBlockedRequests();
  const bounds = {
    waitMs: options.wait_for_timeout,
    endsAt,
    explain: explainFailure.bind(undefined, gateSession),
    gateSession,
    onIncomplete: () => warnings.add('page_load_incomplete'),
    onLeftOut: (request: KnownRequest) =>
      blocked.addUncounted({ ...request, url: request.firstUrl, keepsPlace: 'if_sized' }),
  };
  const context = createContext(page, options, { bounds, blocked, gateSession, lists, log, warnings });
  const { maxResultBytes, maxPixels } = limits;
  const companions = accompany(page, options, { format, gateSession, maxResultBytes });

  stopwatch.lap('queue');
  stopwatch.enter('navigate');
  await Promise.all([companions.listen(), ...BEFORE_NAVIGATION.map((step) => step.apply(page, options, context))]);
  const file = await openPage(page, options, { bounds, gateSession, maxPixels, warn: context.warn });
  stopwatch.lap('navigate');
  stopwatch.enter('wait');
  const stepLimitMs = context.waitMs + options.delay_capture + LIMIT_MS.step;
  await withTimeout(format.checkLoaded(page, options, limits), stepLimitMs, doesNotAnswer);
  let ready: MainDocument | undefined;
  /** Applies the steps and the checks of the request to the present document. */
  const prepare = async (isFirst: boolean): Promise<void> => {
    const { current } = page.mainFrame;
    const document = current();
    context.ready.isMet = false;
    for (const step of stepsAfterLoad(isFirst)) {
      const applied = step.apply(page, options, context);
      await (step.boundsItself === true ? applied : withTimeout(applied, stepLimitMs, doesNotAnswer));
      await settle(page, bounds);
      stopwatch.lap(step.phase ?? 'wait');
    }
    await withTimeout(companions.check(), stepLimitMs, doesNotAnswer);
    ready = document;
  };
  await prepare(true);
  prepareOthers(); // The screenshot waits for the next frames of the browser.
  // Prepares and renders again if another document replaces the page. After `MAX_DOCUMENTS`, navigations are blocked.
  const render = async (): ReturnType<Format['render']> =>
    file === undefined ? await format.render(page, options, limits) : { body: file };
  stopwatch.enter('render');
  const { file: taken, parts } = await withRetries(async () => {
    await settle(page, bounds);
    while (page.mainFrame.current() !== ready) await prepare(false);
    const rendered = await unlessReplaced(page, companions.readBeside(render));
    if (page.mainFrame.current() !== ready) throw new DocumentReplacedError('another document was rendered');
    await settle(page, bounds);
    return rendered;
  }, WHILE_IT_NAVIGATES);
  const loaded = await companions.digest();
  stopwatch.lap('render');
  stopwatch.enter('encode');
  const rendering = 'finish' in taken ? await inTime(taken.finish(page.signal), LIMIT_MS.render) : taken;
  if (rendering.body.length > maxResultBytes) throw resultTooLarge(maxResultBytes);
  for (const code of [...(rendering.warnings ?? []), ...parts.warnings]) context.warn(code);
  stopwatch.lap('render', 'encode');
  const mayBeBlank = !context.shows.something && rendering.elements === undefined;
  if (mayBeBlank && (await format.isBlank?.(rendering.body, limits, page.signal)) === true) context.warn('page_blank');
  for (const code of warningsOf(page, warnings)) context.warn(code);
  if (gateSession.lacksFile() || namesOwnFile(options)) context.warn('file_missing');

  const document = targetOf(page, options);
  return {
    file: rendering.body,
    parts: parts.texts,
    facts: {
      size: rendering.size,
      scale: rendering.scale,
      place: rendering.place,
      elements: rendering.elements,
      digest: loaded && (await digestOf(requested, loaded)),
      targetStatus: document?.status,
      targetUrl: document && withoutLogin(document.url), // results are stored and shown to agents
      blockedRequests: gateSession.refusedCount(),
      filteredRequests: blocked.count(),
      warnings: [...warnings],
      timings: stopwatch.laps(),
    },
  };
}

/** Returns what the page does when it has been captured. */
function warningsOf({ channels, mainFrame }: Page, known: ReadonlySet<WarningCode>): readonly WarningCode[] {
  return [
    ...(channels.areShowing() && !known.has('streams_pending') ? (['streams_open'] as const) : []),
    ...(mainFrame.isRestless() ? (['navigations_pending'] as const) : []),
    ...(mainFrame.current()?.isCut === true ? (['document_incomplete'] as const) : []),
  ];
}

/** What the steps of a capture share. */
function createContext(
  page: Page,
  options: CaptureOptions,
  { bounds, blocked, gateSession, lists, log, warnings }: ContextParts,
): StepContext {
  const format = FORMATS[options.format];
  const wholePage = options.full_page || format.showsWholePage;
  const leavesWindow = wholePage || options.selector !== undefined || isBelowWindow(options);
  return {
    waitMs: options.wait_for_timeout,
    isPainted: format.isPainted,
    readsSeenText: options.visible_text,
    paper: format.paper?.bind(undefined, page, options),
    keepsDrawings: format.keepsDrawings === true,
    url: options.url,
    wholePage,
    leavesWindow,
    isScrolled: format.isPainted && leavesWindow && (options.full_page_scroll || options.selector !== undefined),
    awaited: { elementUntil: undefined },
    isActedOn: options.custom_js !== undefined || options.actions !== undefined,
    acted: { document: undefined },
    interact: () => moveMouse(page, options),
    settle: () => settle(page, bounds),
    goTo: (url) => navigate(page, { url }, bounds),
    ready: { isMet: false },
    shows: { something: true },
    warn: (code) => warnings.add(code),
    blocked,
    gateSession,
    log,
    lists,
  };
}

/** The document of another site. Undefined for supplied markup. */
function targetOf({ mainFrame }: Page, options: CaptureOptions): MainDocument | undefined {
  const document = mainFrame.current();
  if (document === undefined || isSupplied(document.url, options)) return undefined;
  return document.status === undefined && options.url === undefined ? undefined : document;
}

/** Rejects if another document replaces this one during rendering: the picture of the old one may never arrive. */
async function unlessReplaced<T>({ mainFrame }: Page, rendering: Promise<T>): Promise<T> {
  const replaced = mainFrame.next().then(() => {
    throw new DocumentReplacedError('another document replaced this one');
  });
  const limitMs = mainFrame.isRestless() ? LIMIT_MS.renderRestless : LIMIT_MS.render;
  // Races without the result, because the race lives as long as the page and would keep 40 MB in memory.
  const rendered = rendering.then(() => undefined);
  await inTime(Promise.race([rendered, replaced]), limitMs);
  return await rendering;
}

async function inTime<T>(rendering: Promise<T>, limitMs: number): Promise<T> {
  return await withTimeout(rendering, limitMs, () => {
    return new ServiceError('TimeoutError', `The page could not be rendered within ${limitMs} ms`);
  });
}
