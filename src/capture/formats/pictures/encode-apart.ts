import { runInChild } from '../../../processes/run-in-child.ts';
import { LIMIT_MS } from '../../../time-limits.ts';
import type { Encoded, Encoding, Pieces } from './encode.ts';
import type { EncoderAnswer, EncoderTask } from './encode-process.ts';

const ENCODER = {
  name: 'the encoder',
  module: new URL('encode-process', import.meta.url),
  timeoutMs: LIMIT_MS.render,
};

/**
 * Encodes in a child process: an encoder on a thread continues after its request has ended. The start takes 0.2 s.
 * @throws the signal's reason; Error when it fails.
 */
export async function encodeApart(pieces: Pieces, encoding: Encoding, signal: AbortSignal): Promise<Encoded> {
  const task: EncoderTask = { pieces, encoding };
  const answer = await runInChild<EncoderAnswer>(
    { ...ENCODER, onStart: (child) => child.send(task, () => undefined) }, // ignores send errors: the process then exits
    signal,
  );
  if ('problem' in answer) throw new Error(`the encoder failed: ${answer.problem}`);
  return { body: Buffer.from(answer.body), size: answer.size };
}
