import { spawn } from 'node:child_process';

const STILL_RUNNING_EVERY_MS = 30_000;
const SHOWN_LINES = 40;

/** A failure that the user can fix. The message is one sentence and the fix. */
export class SetupError extends Error {}

/**
 * Runs a program without showing its output; `onOutput` receives it for progress. Returns exit code and output; the
 * code is -1 if it could not be started. A signal to this process is forwarded and rejects with a SetupError, so that
 * no child continues in the folder.
 */
export function run(command, args, { cwd, env = process.env, shell = false, report, task, onStart, onOutput }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    const startedAt = Date.now();
    const chunks = [];
    const stillRunning = setInterval(() => {
      report?.(`still ${task} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
    }, STILL_RUNNING_EVERY_MS);
    let isInterrupted = false;
    const stop = (signal) => {
      isInterrupted = true;
      child.kill(signal);
    };
    const settle = (exitCode, output) => {
      clearInterval(stillRunning);
      process.off('SIGINT', stop).off('SIGTERM', stop);
      if (isInterrupted) reject(new SetupError('interrupted; run it again.'));
      else resolve({ exitCode, output });
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    if (onOutput !== undefined) child.stderr.on('data', onOutput);
    child.once('error', (error) => settle(-1, error.message));
    child.once('close', (exitCode) => settle(exitCode ?? -1, Buffer.concat(chunks).toString('utf8')));
    if (child.pid !== undefined) onStart?.(child.pid);
  });
}

/** Prints the end of a failed program's output without its lines about Node's version. */
export function showOutput(output) {
  const lines = output.trim().split('\n');
  const shown = lines.filter((line) => !line.includes('EBADENGINE'));
  console.error(shown.slice(-SHOWN_LINES).join('\n'));
}
