import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { ownEnvironment } from './own-environment.ts';

const MAIN = join(import.meta.dirname, '../../dist/programs/cli/main.js');
const LIMIT_MS = 60_000;

interface CommandLine {
  /** Working folder, too, so that no `.env` of a developer is read. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Redirections of a shell, such as `> /dev/full`. */
  readonly shell?: string;
  /** Text for standard input. */
  readonly input?: string;
}

interface Ended {
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: string;
}

/** Starts the built command line. */
export function startCommand(args: readonly string[], { folder, environment = {}, shell = '' }: CommandLine) {
  const child = spawn('sh', ['-c', `exec "$0" "$@" ${shell}`, process.execPath, MAIN, ...args], {
    cwd: folder,
    env: { ...ownEnvironment(), TMPDIR: folder, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  child.once('exit', () => clearTimeout(timer));
  return child;
}

/** Runs the built command line to its end. */
export async function runCommand(args: readonly string[], command: CommandLine): Promise<Ended> {
  const child = startCommand(args, command);
  const exited = once(child, 'exit');
  child.stdin.end(command.input ?? '');
  const [output, errors] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
  await exited;
  return { code: child.exitCode, output, errors };
}
