import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMIT_MS } from '../../../time-limits.ts';
import type { Encoded, Encoding, Pieces } from './encode.ts';
import type { EncoderAnswer, EncoderTask } from './encode-process.ts';

const ENCODER = fileURLToPath(new URL(`encode-process${extname(import.meta.url)}`, import.meta.url));

/**
 * Encodes in a child process, which has ended when this settles: an encoder on a thread continues after its request has ended. The start
 * takes 0.2 s.
 * @throws the signal's reason; Error when it fails.
 */
export async function encodeApart(pieces: Pieces, encoding: Encoding, signal: AbortSignal): Promise<Encoded> {
  signal.throwIfAborted();
  const child = fork(ENCODER, {
    env: {}, // the process gets none of our secrets
    execArgv: [],
    serialization: 'advanced', // transfers bytes unchanged
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: LIMIT_MS.render,
    killSignal: 'SIGKILL',
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  try {
    let answer: EncoderAnswer | undefined;
    child.once('message', (message: EncoderAnswer) => {
      answer = message;
    });
    const task: EncoderTask = { pieces, encoding };
    child.send(task, () => undefined); // ignores send errors: the process then exits, which is awaited below
    await Promise.all([once(child, 'disconnect'), once(child, 'close')]);
    signal.throwIfAborted();
    if (answer === undefined)
      throw new Error(`the encoder ended early: ${child.signalCode ?? child.exitCode}`);
    if ('problem' in answer) throw new Error(`the encoder failed: ${answer.problem}`);
    return { body: Buffer.from(answer.body), size: answer.size };
  } finally {
    signal.removeEventListener('abort', kill);
    kill(); // does nothing if the process has exited
  }
}
