import { heldByBrowser } from '../../../core/browser/process/process-table.ts';
import { CaptureError, ClientTimeoutError } from '../../client/capture-error.ts';
import { createCaptureClient, type CaptureClient } from '../../client/client.ts';
import { describeFailure } from '../exit.ts';
import { type OwnService, startOwnService } from '../own-service.ts';

const START_LIMIT_MS = 45_000;
const TRY_MS = 2_000;
const SAMPLE_MS = 200;
const TIMEOUT_MARGIN_MS = 10_000;

/** A service of our own with one browser. The caller closes it. */
export interface RehearsedBrowser {
  readonly version: string;
  readonly service: OwnService;
  readonly client: CaptureClient;
  /** The most memory that the processes of the browser have held, in bytes. 0 without /proc. */
  readonly peakBytes: () => number;
  /** Number of times that it has crashed or hung. */
  readonly restarts: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** The browser can't be used. The message says why. */
export class BrowserUnusableError extends Error {
  override readonly name = 'BrowserUnusableError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts a service with this browser, or with the one that the service would use.
 * @throws BrowserUnusableError if it does not start within 45 s
 */
export async function startRehearsed(
  environment: Environment,
  browser: string | undefined,
  signal: AbortSignal,
): Promise<RehearsedBrowser> {
  const named = browser === undefined ? environment : { ...environment, BROWSER_EXECUTABLE: browser };
  const name = browser ?? 'the present browser';
  const service = await startOwnService({ ...named, POOL_SIZE: '1', LOG_LEVEL: 'fatal' }).catch((error: unknown) => {
    throw unusable(name, error instanceof Error ? error.message : String(error));
  });
  try {
    const timeoutMs = service.captureTimeoutMs + TIMEOUT_MARGIN_MS;
    const client = createCaptureClient({ service: service.url, token: service.token, retries: 0, timeoutMs });
    const version = await untilReady(service, client, name, signal);
    const sampling = samplePeak(service.browserGroups);
    return {
      version,
      service,
      client,
      peakBytes: sampling.peakBytes,
      restarts: async () => Number((await readBrowser(service))['restarts'] ?? 0),
      close: async () => {
        sampling.stop();
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** A capture waits while the browser starts for the first time, and fails at once when that has failed. */
async function untilReady(
  service: OwnService,
  client: CaptureClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const endAt = performance.now() + START_LIMIT_MS;
  for (let isReady = false; !isReady;) {
    try {
      await client.capture({ html_content: '<p>' }, { signal, timeoutMs: TRY_MS });
      isReady = true;
    } catch (error) {
      if (!(error instanceof CaptureError)) throw error;
      if (error instanceof ClientTimeoutError && performance.now() < endAt) continue; // it is still starting
      throw unusable(name, `it does not start, or makes no capture (${describeFailure(error)})`);
    }
  }
  return String((await readBrowser(service))['version']);
}

/** What the service says about its browser. */
async function readBrowser({ url, token }: OwnService): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(`${url}/health`, { headers: { authorization: `Bearer ${token}` } });
  return Object(Object(await answer.json()).browser);
}

function unusable(name: string, reason: string): BrowserUnusableError {
  return new BrowserUnusableError(`${name} can't be used: ${reason}`);
}

function samplePeak(groups: () => readonly number[]) {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, ...groups().map(heldByBrowser));
  }, SAMPLE_MS).unref();
  return { peakBytes: () => peak, stop: () => clearInterval(timer) };
}
