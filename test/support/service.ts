import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from './own-environment.ts';
import { browserOf, hasProcessWith } from './processes.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000; // shorter than the test timeout, so that the service is still stopped
const START_INTERVAL_MS = 20;
const STOP_LIMIT_MS = 60_000;

type Settings = Readonly<Record<string, string>>;

/** One line of the service's log. */
export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** The built service in a separate process. The caller stops it. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Temporary folder of this service; contains the profile folders. */
  readonly temporaryFolder: string;
  /** Parsed log lines. A line arrives 50 ms late, because the service batches them. */
  readonly logs: () => readonly LogLine[];
  /** Everything written to standard output and standard error. */
  readonly output: () => string;
  /** The process id of the newest browser. */
  readonly browserPid: () => number;
  /** Sends the signal and returns the exit code after the process has ended; null if a signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

interface StartOptions {
  /** Existing temporary folder to use; it is not removed. */
  readonly temporaryFolder?: string;
  /** If true, the service has a temporary DATA_DIR. */
  readonly stores?: boolean;
  /** If false, returns as soon as the service listens, for a browser that never starts. */
  readonly untilReady?: boolean;
  /** The user and wrapper program of the service. */
  readonly machine?: Machine;
}

/** The environment in which the service runs. */
export interface Machine {
  /** User of the service; undefined means the current one. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** A program and its first arguments; it runs the command that follows. */
  readonly wrapper: readonly string[];
}

const THIS_MACHINE: Machine = { user: undefined, wrapper: [] };

/**
 * Starts the built service on a free port and waits until it is ready and idle. By default it has two pages and no
 * limits.
 */
export async function startService(settings: Settings = {}, options: StartOptions = {}): Promise<RunningService> {
  const temporaryFolder = options.temporaryFolder ?? (await mkdtemp(join(tmpdir(), 'service-test-')));
  const { user } = options.machine ?? THIS_MACHINE;
  if (user !== undefined) await chown(temporaryFolder, user.uid, user.gid);
  const data: Settings = options.stores === true ? { DATA_DIR: join(temporaryFolder, 'data') } : {};
  const child = spawnService({ TMPDIR: temporaryFolder, ...data, ...settings }, options.machine);
  const exited = once(child, 'exit');
  const { lines, output } = collect(child);

  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await exited;
    }
    clearTimeout(timer);
    return child.exitCode;
  };
  const dispose = async (): Promise<void> => {
    await stop();
    if (options.temporaryFolder === undefined) {
      await removeUnused(temporaryFolder);
    }
  };

  try {
    const ended = exited.then(() => {
      throw new Error(`The service ended (exit code ${child.exitCode}):\n${output()}`);
    });
    const url = await Promise.race([ended, becomesIdle(lines, options)]);
    return {
      url,
      pid: child.pid ?? 0,
      temporaryFolder,
      logs: () => lines,
      output,
      browserPid: () => browserOf(child.pid ?? 0),
      stop,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await stop('SIGKILL');
    await dispose();
    throw error;
  }
}

/**
 * Removes the temporary folder of a service when its browser has ended: that of a killed service writes into its
 * profile folder until then.
 */
export async function removeUnused(folder: string): Promise<void> {
  await untilDone(() => assertUnused(folder));
  await rm(folder, { recursive: true, force: true });
}

/** Runs a service that is expected to exit by itself. */
export async function runService(settings: Settings): Promise<{ code: number | null; errors: string }> {
  const child = spawnService(settings);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const exited = once(child, 'exit');
  child.stdout.resume();
  const errors = await text(child.stderr);
  await exited;
  clearTimeout(timer);
  return { code: child.exitCode, errors };
}

function spawnService(settings: Settings, { user, wrapper }: Machine = THIS_MACHINE) {
  const [program, ...args] = [...wrapper, process.execPath, MAIN];
  const child = spawn(program, args, {
    ...user,
    cwd: tmpdir(), // avoids a .env of a developer
    env: {
      ...ownEnvironment(),
      PORT: '0',
      POOL_SIZE: '2', // each page is opened ahead, and most tests need only two
      LOG_FORMAT: 'json',
      RATE_LIMIT_ENABLED: 'false',
      EGRESS_ALLOW: '127.0.0.0/8,localhost',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test that times out never reaches its own cleanup.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

function collect(child: ReturnType<typeof spawnService>): { lines: LogLine[]; output: () => string } {
  const lines: LogLine[] = [];
  const written: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    written.push(line);
    lines.push(JSON.parse(line));
  });
  createInterface({ input: child.stderr }).on('line', (line) => written.push(line));
  return { lines, output: () => written.join('\n') };
}

async function becomesIdle(lines: readonly LogLine[], { untilReady = true }: StartOptions): Promise<string> {
  const lineWith = (message: string): LogLine => {
    const line = lines.find(({ msg }) => msg === message);
    if (line === undefined) throw new Error(`The service did not say: ${message}`);
    return line;
  };
  const { url } = await untilDone(() => lineWith('listening'));
  if (typeof url !== 'string') throw new Error('The service does not say where it listens');
  if (!untilReady) return url;
  // earlier polling would send fifty requests while the browser starts
  await untilDone(() => lineWith('ready to capture'));
  await untilDone(() => assertIdle(url));
  return url;
}

/** Same as `vi.waitFor`, which works in Vitest only: scripts start the service, too. */
async function untilDone<T>(attempt: () => T | Promise<T>): Promise<T> {
  const endAt = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > endAt) throw error;
      await delay(START_INTERVAL_MS);
    }
  }
}

/** Asserts that no process has this folder among its arguments, as browsers have their profile folder. */
function assertUnused(folder: string): void {
  if (hasProcessWith(folder)) throw new Error(`A process uses ${folder}`);
}

/** Asserts that the service is ready and has finished its font check, which uses a page of the pool. */
async function assertIdle(url: string): Promise<void> {
  const ready = await fetch(`${url}/health/ready`);
  const health = await readHealth(url);
  if (ready.status === 200 && health.browser.captures > 0 && health.pool.busy === 0) return;
  throw new Error(`The service is not ready: ${ready.status} ${JSON.stringify(health)}`);
}

/** The body of /health. */
export interface Health {
  readonly status: string;
  readonly version: string;
  readonly timestamp: string;
  readonly uptime_seconds: number;
  readonly browser: {
    readonly connected: boolean;
    readonly version: string | null;
    readonly sandbox: boolean | null;
    readonly captures: number;
    readonly restarts: number;
  };
  readonly pool: { readonly size: number; readonly busy: number; readonly waiting: number };
  readonly memory: { readonly rss_bytes: number };
}

export async function readHealth(base: string): Promise<Health> {
  const response = await fetch(`${base}/health`);
  const health: Health = JSON.parse(await response.text());
  return health;
}
