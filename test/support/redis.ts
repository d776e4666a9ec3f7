import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { createOpenRedis, type RedisCommand } from '../../src/parts/stores/redis-connection.ts';

const START_LIMIT_MS = 40_000;
const NOT_YET_MS = 20;

/**
 * True if Redis is installed (Debian: `apt-get install redis-server`). Tests that need it are skipped otherwise, and
 * their names say why.
 */
export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis in a separate process, without persistence. The caller disposes of it. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  /** Sends a command over a separate connection. */
  readonly send: (command: RedisCommand) => Promise<unknown>;
  /** Kills it at once, like a lost machine. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, with further options, and waits until it answers. */
  readonly restart: (more?: readonly string[]) => Promise<void>;
  /** Suspends it with its connections open. */
  readonly freeze: () => void;
  readonly thaw: () => void;
}

/** Starts a Redis on a free port of the loopback address and waits until it answers. */
export async function startRedis(options: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child = await run(port, options);

  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url,
    send: (command) => sendTo(url, command),
    kill,
    restart: async (more = []) => {
      await kill();
      child = await run(port, [...options, ...more]);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    [Symbol.asyncDispose]: kill,
  };
}

async function run(port: number, options: readonly string[]): Promise<ReturnType<typeof spawn>> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...own, '--dir', tmpdir(), ...options], { stdio: 'ignore' });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));

  const endAt = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await sendTo(`redis://127.0.0.1:${port}`, ['PING']);
      return child;
    } catch (error) {
      // Redis is up, and requires a password.
      if (error instanceof Error && error.message.startsWith('NOAUTH')) return child;
      if (performance.now() > endAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, NOT_YET_MS));
    }
  }
}

async function sendTo(url: string, command: RedisCommand): Promise<unknown> {
  const connection = await createOpenRedis(url)({ onLost: () => undefined, timeoutMs: 1_000 });
  try {
    return await connection.send(command);
  } finally {
    connection.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');
  return address.port;
}
