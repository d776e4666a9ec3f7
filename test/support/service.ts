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
import { browserOf } from './processes.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000; // less than a test may take, which must still stop it
const START_INTERVAL_MS = 20;
const STOP_LIMIT_MS = 60_000;

type Settings = Readonly<Record<string, string>>;

/** One line of the service's log. */
export interface LogLine {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** The built service in a process of its own. Whoever starts it stops it. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Its own temporary folder: profile folders are here. */
  readonly temporaryFolder: string;
  /** A line comes 50 ms late, as the service writes them together. */
  readonly logs: () => readonly LogLine[];
  /** Everything that it has written to standard output and standard error. */
  readonly output: () => string;
  /** The process id of the newest browser. */
  readonly browserPid: () => number;
  /** Sends the signal and gives back the exit code once the process is gone; null when a signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

interface StartOptions {
  /** Used instead of a new one, and left behind. */
  readonly temporaryFolder?: string;
  /** It has a DATA_DIR, which goes with it. */
  readonly stores?: boolean;
  /** False: as soon as it listens, for a service whose browser never starts. */
  readonly untilReady?: boolean;
  /** What it runs as, and what runs it. */
  readonly machine?: Machine;
}

/** Who the service is on this machine, and what it finds there. */
export interface Machine {
  /** Undefined: as we do. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** A program and its first arguments, that runs what follows. */
  readonly wrapper: readonly string[];
}

const THIS_MACHINE: Machine = { user: undefined, wrapper: [] };

/** Starts the built service on a free port and waits until it is ready and has nothing to do. Two pages, and no limits, unless asked for. */
export async function startService(
  settings: Settings = {},
  options: StartOptions = {},
): Promise<RunningService> {
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
      await rm(temporaryFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
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

/** Runs the service where it is expected to end by itself. */
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
    cwd: tmpdir(), // no .env of a developer
    env: {
      ...ownEnvironment(),
      PORT: '0',
      POOL_SIZE: '2', // each has a page made ahead, which most tests do not need
      LOG_FORMAT: 'json',
      RATE_LIMIT_ENABLED: 'false',
      EGRESS_ALLOW: '127.0.0.0/8,localhost',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test that runs out of time never gets to its own end.
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
  const said = (message: string): LogLine => {
    const line = lines.find(({ msg }) => msg === message);
    if (line === undefined) throw new Error(`The service did not say: ${message}`);
    return line;
  };
  const { url } = await untilDone(() => said('listening'));
  if (typeof url !== 'string') throw new Error('The service does not say where it listens');
  if (!untilReady) return url;
  await untilDone(() => said('ready to capture')); // asked before, it would answer fifty times while its browser starts
  await untilDone(() => assertIdle(url));
  return url;
}

/** As `vi.waitFor`, which works in Vitest only: the service is started by scripts too. */
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

/** Ready, and done with looking at the machine's fonts, which takes a page of the pool. */
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
