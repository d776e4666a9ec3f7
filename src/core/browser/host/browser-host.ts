import { ServiceError } from '../../ground/errors.ts';
import type { Logger } from '../../ground/log.ts';
import { createMutex } from '../../ground/mutex.ts';
import { abortReason, raceAbort } from '../../ground/timeouts.ts';
import type { GatePorts } from '../../egress/gate/gate.ts';
import type { Window } from '../page/screen.ts';
import type { LaunchedBrowser } from '../process/launch.ts';
import type { OpenPages } from '../process/renderer-watch.ts';
import { TemporaryFolderFullError } from '../process/temporary-space.ts';
import { hostBrowser, type HostedBrowser, type HostedPage } from './hosted-browser.ts';
import { createLaunchWithBackoff, type LaunchFailure, type LaunchWithBackoff } from './launch-with-backoff.ts';

const OPENING_MS = 1_000; // opening a page usually takes 50 to 150 ms

/** Reasons for replacing a browser. The first two are unplanned. */
type RestartReason = 'crashed' | 'unresponsive' | 'page_stuck' | 'recycled';

export interface BrowserState {
  readonly state: 'starting' | 'running' | 'failing';
  readonly version: string | undefined;
  /** User agent of pages, unless the request sets another. */
  readonly userAgent?: string | undefined;
  /** When the browser was built. Undefined if it is not known. */
  readonly builtAt?: Date | undefined;
  /** Captures started since the service started. */
  readonly captures: number;
  /** Unplanned replacements since the service started. */
  readonly restarts: number;
  /** All replacements, including planned ones. */
  readonly restartsByReason: Readonly<Record<RestartReason, number>>;
}

export interface BrowserHost {
  /** Starts the first browser. Resolves when it runs. Later failures are retried in the background. */
  readonly start: () => Promise<void>;
  /**
   * Opens a page in a new context of the current browser, or waits for a browser that is starting. The page's
   * connections go to the gate at these ports. The caller closes the page.
   * @throws ServiceError OverloadedError at once while no browser can be started.
   * @throws BrowserClosedError if the browser ends meanwhile.
   */
  readonly openPage: (gate: GatePorts, signal: AbortSignal) => Promise<HostedPage>;
  /** Calls the listener each time that a new browser has taken over. */
  readonly onReplaced: (listener: () => void) => void;
  /** True if the browser answers a cheap call within two seconds. Cached for one second. */
  readonly isResponsive: () => Promise<boolean>;
  readonly state: () => BrowserState;
  /** Process groups of the running browsers. */
  readonly groups: () => readonly number[];
  /** Closes every browser. Idempotent, bounded, does not throw. */
  readonly close: () => Promise<void>;
}

interface HostOptions {
  readonly launch: () => Promise<LaunchedBrowser>;
  /**
   * Watches a browser from its start to its end. Calls `onUnresponsive` before it kills a browser that does not answer.
   */
  readonly watch: (browser: LaunchedBrowser, pages: OpenPages, onUnresponsive: () => void) => void;
  readonly log: Logger;
  /** Window of every new page. */
  readonly window: Window;
  readonly builtAt?: Date | undefined;
  /** Captures after which a new browser takes over. The old one closes with its last page. */
  readonly recycleAfter: number;
  /** True if the browser holds so much memory outside of its pages that a new one should take over. */
  readonly holdsTooMuch: (browser: LaunchedBrowser) => boolean;
}

/** Number of captures between two checks of the browser's memory, because a check reads the process table. */
const CHECK_EVERY = 50;

/** Keeps one browser running, opens pages in it, and replaces it when it fails, is due, or does not close a page. */
export function createBrowserHost(options: HostOptions): BrowserHost {
  return new Host(options);
}

class Host implements BrowserHost {
  readonly #options: HostOptions;
  readonly #alive = new Set<HostedBrowser>();
  readonly #cleanups = createPending();
  readonly #replacedListeners: (() => void)[] = [];
  readonly #restarts: Record<RestartReason, number> = { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 0 };
  readonly #launcher: LaunchWithBackoff<HostedBrowser>;
  // Every page starts a process. Opening pages one after the other gives 14 % more captures a second than two at a
  // time, at 4 clients (nine photographs, 2 cores, 2026-11-21).
  readonly #serialized = createMutex(OPENING_MS);
  #current: HostedBrowser | undefined;
  #isClosed = false;
  #captures = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#launcher = createLaunchWithBackoff(() => this.#launch(), options.log);
  }

  readonly start = async (): Promise<void> => {
    await this.#launcher.launch();
  };

  readonly openPage: BrowserHost['openPage'] = async (gate, signal) => {
    await this.#running(signal); // outside the mutex: waiting for a browser must not block other clients
    return await this.#serialized(async () => {
      const hosted = await this.#running(signal);
      if (signal.aborted) throw abortReason(signal); // the client has disconnected
      return await hosted.openPage(gate);
    });
  };

  readonly onReplaced = (listener: () => void): void => void this.#replacedListeners.push(listener);

  readonly isResponsive = async (): Promise<boolean> => (await this.#current?.isResponsive()) ?? false;

  readonly state = (): BrowserState => ({
    state: this.#current !== undefined ? 'running' : this.#launcher.failure() === undefined ? 'starting' : 'failing',
    version: this.#current?.version,
    userAgent: this.#current?.identity.userAgent,
    builtAt: this.#options.builtAt,
    captures: this.#captures,
    restarts: this.#restarts.crashed + this.#restarts.unresponsive,
    restartsByReason: { ...this.#restarts },
  });

  readonly groups = (): readonly number[] => [...this.#alive].map(({ pid }) => pid);

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#launcher.stop();
    await Promise.allSettled([...this.#alive].map((hosted) => hosted.close()));
    await this.#cleanups.settle();
  };

  /**
   * Returns the running browser, or waits for the one that is starting.
   * @throws ServiceError OverloadedError at once while the browser can't be started, and after `close`.
   */
  async #running(signal: AbortSignal): Promise<HostedBrowser> {
    if (this.#isClosed) throw overloaded('The service is shutting down', 5);
    const hosted = this.#current;
    if (hosted?.hasLostPageStarters() === false) return hosted;
    if (hosted !== undefined) {
      this.#lose(hosted, 'crashed');
      hosted.kill();
    }
    const failure = this.#launcher.failure();
    if (failure !== undefined) throw notStarted(failure);
    return await raceAbort(this.#launcher.launch(), signal);
  }

  async #launch(): Promise<HostedBrowser> {
    const launching = this.#options.launch();
    this.#cleanups.add(launching);
    const launched = await launching;
    this.#cleanups.add(launched.cleaned);
    const hosted = this.#host(launched);
    if (this.#isClosed) await hosted.close();
    const previous = this.#current;
    this.#current = hosted;
    previous?.retire();
    for (const listener of this.#replacedListeners) listener();
    this.#options.log.info({ version: hosted.version, pid: hosted.pid }, 'browser ready');
    return hosted;
  }

  #host(launched: LaunchedBrowser): HostedBrowser {
    const { window, log, watch } = this.#options;
    const hosted: HostedBrowser = hostBrowser(launched, {
      window,
      log,
      isCurrent: () => hosted === this.#current,
      onBegin: () => {
        this.#captures++;
        if (this.#isDue(hosted)) this.#replace(hosted, 'recycled');
      },
      onStuck: () => this.#replace(hosted, 'page_stuck'),
    });
    this.#alive.add(hosted);
    const onEnded = (): void => {
      this.#alive.delete(hosted);
      this.#lose(hosted, 'crashed');
    };
    if (hosted.ended.aborted) onEnded();
    else hosted.ended.addEventListener('abort', onEnded, { once: true });
    watch(hosted, hosted.openPages, () => this.#lose(hosted, 'unresponsive'));
    return hosted;
  }

  #isDue(hosted: HostedBrowser): boolean {
    const { recycleAfter, holdsTooMuch } = this.#options;
    return hosted.captures() >= recycleAfter || (hosted.captures() % CHECK_EVERY === 0 && holdsTooMuch(hosted));
  }

  /** Starts another browser after one has failed. Counts the first reason, because later ones follow from it. */
  #lose(hosted: HostedBrowser, reason: RestartReason): void {
    if (this.#isClosed || hosted !== this.#current) return;
    this.#current = undefined;
    this.#restarts[reason]++;
    this.#options.log.warn({ pid: hosted.pid }, 'the browser has ended: starting another');
    void this.#launcher.launch();
  }

  /** Starts a replacement for a browser that still runs. The old one closes with its last page. */
  #replace(hosted: HostedBrowser, reason: RestartReason): void {
    if (hosted !== this.#current || this.#launcher.isLaunching()) return;
    this.#restarts[reason]++;
    void this.#launcher.launch();
  }
}

/** Launches in progress, and ended browsers that still remove their files. Only `close` of the host waits for them. */
function createPending() {
  const pending = new Set<Promise<unknown>>();
  return {
    add: (work: Promise<unknown>): void => {
      const settled = work.catch(() => undefined).finally(() => pending.delete(settled));
      pending.add(settled);
    },
    settle: async (): Promise<void> => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function notStarted({ retryAt, error }: LaunchFailure): ServiceError {
  const seconds = Math.max(1, Math.ceil((retryAt - performance.now()) / 1000));
  const reason = error instanceof TemporaryFolderFullError ? ': its temporary folder is full' : ' at the moment';
  return overloaded(`The browser can't be started${reason}`, seconds);
}

function overloaded(message: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('OverloadedError', message, { retryAfterSeconds });
}
