import { encode, type Encoded, type Encoding, type Pieces } from './encode.ts';

/** The only message to this process. */
export interface EncoderTask {
  readonly pieces: Pieces;
  readonly encoding: Encoding;
}

/** The only message from this process, sent at its end. */
export type EncoderAnswer = Encoded | { readonly problem: string };

process.once('disconnect', () => process.exit()); // the service has ended
process.once('message', ({ pieces, encoding }: EncoderTask) => {
  void encode(pieces, encoding)
    .catch((error: unknown): EncoderAnswer => ({ problem: String(error) }))
    .then((answer) => process.send?.(answer, undefined, undefined, () => process.disconnect()));
});
