import { once } from 'node:events';
import type { Browser, CDPSession, Connection } from 'puppeteer';
import { connect } from 'puppeteer';
import type { Logger } from '../../ground/log.ts';
import { withTimeout } from '../../ground/timeouts.ts';
import { BrowserClosedError } from '../browser-errors.ts';
import type { ResultRoom } from '../pipe/result-buffer.ts';
import type { BrowserExecutable } from '../find/executable.ts';
import { launchFlags } from './launch-flags.ts';
import { followPageStarters } from './helper-processes.ts';
import { type Identity, identityOf, usualUserAgent } from '../identity.ts';
import type { PipeTransport } from '../pipe/pipe-transport.ts';
import { createProfileFolder, keepProfileFolder, removeProfileFolder } from './profile-folder.ts';

import { sweepSharedMemory } from './shared-memory.ts';
import { unlessFolderFull } from './temporary-space.ts';
import { groupEnded, killGroup, spawnBrowser, type SpawnedBrowser } from './spawn-browser.ts';
import { LIMIT_MS } from '../../ground/time-limits.ts';

const START_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 3_000; // Browser.close can hang on a stuck renderer
const EXIT_FOLLOWS_MS = 1_000; // the pipes close some milliseconds before the process ends

/** Signals that a process raises on itself. Others send SIGKILL or SIGTERM. */
const OWN_SIGNALS: readonly (string | null)[] = ['SIGTRAP', 'SIGILL', 'SIGABRT', 'SIGSEGV', 'SIGSYS', 'SIGBUS'];

/** The browser ended by itself before it answered, for example because its sandbox can't start. */
export class EndedAtStartError extends Error {
  override readonly name = 'EndedAtStartError';
}

export interface LaunchOptions {
  readonly executable: BrowserExecutable;
  readonly sandbox: boolean;
  /** Environment variables from `browserEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The locale in `environment`. Default: the locale that every browser starts with. */
  readonly locale?: string | undefined;
  /** User agent of all pages. Default: that of the browser with a window. */
  readonly userAgent?: string | undefined;
  readonly log: Logger;
  /** Memory for pictures and documents while they arrive. Default: unlimited. */
  readonly room?: ResultRoom;
  /** Database of additional certificate authorities, from `trustDatabase`. */
  readonly trusted?: Buffer | undefined;
}

export interface LaunchedBrowser {
  /** The protocol connection of the browser, over pipes. There is no debugging port. */
  readonly connection: Connection;
  readonly pipe: PipeTransport;
  /** Version, for example `HeadlessChrome/156.0.8078.73`. */
  readonly version: string;
  /** What pages see of it. Set for its shared and service workers; each page sets it for itself. */
  readonly identity: Identity;
  readonly pid: number;
  /** True if the browser has lost the processes that it forks pages from: new pages would hang. */
  readonly hasLostPageStarters: () => boolean;
  /** Aborted when the connection is closed or the process has ended, whichever is first. */
  readonly ended: AbortSignal;
  /** Kills the process group at once. */
  readonly kill: () => void;
  /** Resolves when all processes have ended and the profile folder is removed. Never rejects. */
  readonly cleaned: Promise<void>;
  /**
   * Closes the browser, kills it if that takes too long, and removes the profile folder. Idempotent, bounded, does not
   * throw.
   */
  readonly close: () => Promise<void>;
}

/**
 * Starts a browser with a minimal environment. So a page that reads /proc/self/environ through a renderer bug finds no
 * secret. The caller closes it.
 * @throws EndedAtStartError if it ends by itself, TemporaryFolderFullError, Error if it does not start in time
 */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  try {
    return await launch(options);
  } catch (error) {
    throw await unlessFolderFull(error);
  }
}

async function launch(options: LaunchOptions): Promise<LaunchedBrowser> {
  const [profile, usual] = await Promise.all([
    createProfileFolder(options.trusted),
    usualUserAgent(options.executable),
    sweepSharedMemory(),
  ]);
  let spawned: SpawnedBrowser | undefined;
  try {
    spawned = await spawnBrowser({
      ...launchFlags({ ...options, userAgent: options.userAgent ?? usual }),
      executablePath: options.executable.path,
      headless: options.executable.kind === 'headless-shell' ? 'shell' : true,
      userDataDir: profile,
      ...(options.room !== undefined && { room: options.room }),
      env: { ...options.environment, ...options.executable.environment, HOME: profile, TMPDIR: profile },
    });
    return await supervise(spawned, profile, options);
  } catch (error) {
    const endedItself = spawned !== undefined && (await hasEndedItself(spawned));
    // the browser runs but is unusable, and no other code would end it
    if (spawned !== undefined) killGroup(spawned.pid);
    await removeProfile(profile, spawned?.pid, options.log);
    if (!endedItself) throw error;
    throw new EndedAtStartError('the browser ended during its start', { cause: error });
  }
}

/** @throws Error if the browser does not answer in time */
async function connectTo(
  transport: PipeTransport,
  userAgent: string | undefined,
): Promise<{ browser: Browser; connection: Connection; version: string; identity: Identity }> {
  const browser = await connect({ transport, defaultViewport: null, protocolTimeout: LIMIT_MS.protocolCall });
  const session = await browser.target().createCDPSession();
  const connection = session.connection();
  if (connection === undefined) throw new Error('the browser has no connection');
  // Puppeteer attaches to every new target and pauses it until it has answered. We attach only to the target of each
  // capture: 13 to 15 % more captures a second (measured 2026-11-20).
  await connection.send('Target.setAutoAttach', {
    autoAttach: false,
    waitForDebuggerOnStart: false,
    flatten: true,
  });
  const version = await connection.send('Browser.getVersion');
  const identity = identityOf(version, userAgent);
  await identifyWorkers(session, identity);
  return { browser, connection, version: version.product, identity };
}

/** Sets the client hints of workers that belong to no page, before their first line. */
async function identifyWorkers(browser: CDPSession, identity: Identity): Promise<void> {
  browser.on('Target.attachedToTarget', ({ sessionId }) => {
    const worker = browser.connection()?.session(sessionId);
    void Promise.allSettled([
      worker?.send('Emulation.setUserAgentOverride', identity),
      worker?.send('Runtime.runIfWaitingForDebugger'),
    ]); // the worker may have ended
  });
  await browser.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{ type: 'shared_worker' }, { type: 'service_worker' }],
  });
}

async function supervise(
  { child, pid, pipe }: SpawnedBrowser,
  profile: string,
  { log, userAgent }: Pick<LaunchOptions, 'log' | 'userAgent'>,
): Promise<LaunchedBrowser> {
  const connecting = connectTo(pipe, userAgent);
  const { browser, connection, version, identity } = await withTimeout(
    connecting,
    START_TIMEOUT_MS,
    () => new Error('the browser did not start in time'),
  );

  const kill = (): void => killGroup(pid);
  const endedController = new AbortController();
  const lose = (): void => {
    kill(); // kills the remaining child processes too
    endedController.abort(new BrowserClosedError('the browser has ended'));
  };
  // The pipe closes before the process has ended. A retried capture must not get the same browser.
  browser.once('disconnected', lose);
  const exited = new Promise<void>((resolve) => {
    const onExit = (): void => {
      lose();
      resolve();
    };
    if (child.exitCode !== null || child.signalCode !== null) onExit();
    else child.once('exit', onExit);
  });
  const stopKeeping = keepProfileFolder(profile);
  const cleaned = exited.then(() => {
    stopKeeping();
    return removeProfile(profile, pid, log);
  });

  const closePolitely = async (): Promise<void> => {
    try {
      const closed = connection.send('Browser.close').then(() => exited);
      await withTimeout(closed, CLOSE_TIMEOUT_MS, () => new Error('Browser.close took too long'));
    } catch (error) {
      log.debug({ err: error, pid }, 'killing a browser that does not close');
      kill();
    }
    await cleaned;
  };
  const haveStartersEnded = followPageStarters(pid);
  let closing: Promise<void> | undefined;
  return {
    connection,
    pipe,
    version,
    identity,
    pid,
    hasLostPageStarters: () => closing === undefined && haveStartersEnded(),
    ended: endedController.signal,
    kill,
    cleaned,
    close: () => (closing ??= closePolitely()),
  };
}

/** Waits for the processes first, because a dying process would write into the folder while it is removed. */
async function removeProfile(profile: string, pid: number | undefined, log: Logger): Promise<void> {
  if (pid !== undefined) await groupEnded(pid);
  try {
    await removeProfileFolder(profile);
  } catch (error) {
    log.warn({ err: error }, 'could not remove a browser profile folder: the next start tries again');
  }
}

async function hasEndedItself({ child }: SpawnedBrowser): Promise<boolean> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(EXIT_FOLLOWS_MS) });
    await ended.catch(() => undefined); // the process still runs
  }
  return (child.exitCode ?? 0) > 0 || OWN_SIGNALS.includes(child.signalCode);
}
