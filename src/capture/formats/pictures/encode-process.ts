import { encode, type Encoded, type Encoding, type Pieces } from './encode.ts';

/** What this process is given, once. */
export interface EncoderTask {
  readonly pieces: Pieces;
  readonly encoding: Encoding;
}

/** What it answers, once, as its last word. */
export type EncoderAnswer = Encoded | { readonly problem: string };

process.once('disconnect', () => process.exit()); // the service has ended
process.once('message', ({ pieces, encoding }: EncoderTask) => {
  void encode(pieces, encoding)
    .catch((error: unknown): EncoderAnswer => ({ problem: String(error) }))
    .then((answer) => process.send?.(answer, undefined, undefined, () => process.disconnect()));
});
