import { setTimeout as delay } from 'node:timers/promises';
import { heldByBrowser } from '../../../core/browser/process/process-table.ts';
import { createCaptureClient, type CaptureClient } from '../../client/client.ts';
import { type OwnService, startOwnService } from '../own-service.ts';

const START_LIMIT_MS = 45_000;
const POLL_MS = 100;
const SAMPLE_MS = 200;
const TIMEOUT_MARGIN_MS = 10_000;

/** A service of our own with one browser. The caller closes it. */
export interface RehearsedBrowser {
  readonly version: string;
  readonly service: OwnService;
  readonly client: CaptureClient;
  /** The most memory that the processes of the browser have held, in bytes. 0 without /proc. */
  readonly peakBytes: () => number;
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
    const version = await untilReady(service, name, signal);
    const timeoutMs = service.captureTimeoutMs + TIMEOUT_MARGIN_MS;
    const sampling = samplePeak(service.browserGroups);
    return {
      version,
      service,
      client: createCaptureClient({ service: service.url, token: service.token, retries: 0, timeoutMs }),
      peakBytes: sampling.peakBytes,
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

async function untilReady(service: OwnService, name: string, signal: AbortSignal): Promise<string> {
  const endAt = performance.now() + START_LIMIT_MS;
  let last = '';
  while (performance.now() < endAt) {
    signal.throwIfAborted();
    const answer = await fetch(`${service.url}/health`, { headers: { authorization: `Bearer ${service.token}` } });
    const health = await answer.json();
    const { connected, version } = Object(Object(health).browser);
    if (answer.ok && connected === true && typeof version === 'string') return version;
    if (Object(health).reason !== undefined) last = String(Object(health).reason);
    await delay(POLL_MS);
  }
  throw unusable(name, `it did not start within ${START_LIMIT_MS / 1_000} s${last === '' ? '' : ` (${last})`}`);
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
