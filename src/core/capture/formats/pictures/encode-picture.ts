import { raceAbort } from '../../../ground/timeouts.ts';
import { encode, type Encoded, type Encoding, type Pieces } from './encode.ts';
import type { EncodeLimit } from './encode-limit.ts';
import { planResizing, type PixelSize } from './resize.ts';
import { callTwice } from '../../../processes/call-once.ts';
import { startProcess } from '../../../processes/peers.ts';
import { LIMIT_MS } from '../../../ground/time-limits.ts';

/** Relative time and memory per pixel. */
const COST = { png: 1, jpeg: 1, webp: 1, avif: 8 } as const satisfies Record<Encoding['name'], number>;
/** Number of pixels that take 1.5 s and 150 MB as avif: about four million. */
const LARGE_COST = 33_554_432;

/** Formats whose encoder can't be interrupted. */
const UNINTERRUPTIBLE: ReadonlySet<Encoding['name']> = new Set(['webp', 'avif']);

/**
 * Joins the pieces, resizes and encodes. A large picture of a format that can't be interrupted is encoded by a process
 * of its own, which is killed when the signal fires. Any other picture keeps its place in the concurrency limit until
 * its encoder has ended.
 * @throws the signal's reason as soon as it fires.
 */
export async function encodePicture(
  pieces: Pieces,
  encoding: Encoding,
  { limit, signal }: { readonly limit: EncodeLimit; readonly signal: AbortSignal },
): Promise<Encoded> {
  const { canvas } = planResizing(pieces.size, encoding.resize);
  const cost = pixelsOf(pieces.size) + pixelsOf(canvas) * COST[encoding.name];
  const isLarge = cost > LARGE_COST;
  const isApart = isLarge && (UNINTERRUPTIBLE.has(encoding.name) || encoding.color === 'mono');
  const work = (): Promise<Encoded> => (isApart ? encodeApart(pieces, encoding, signal) : encode(pieces, encoding));
  const working = limit(work, { isLarge, signal });
  return await raceAbort(working, signal);
}

function pixelsOf({ width, height }: PixelSize): number {
  return width * height;
}

const ENCODER = new URL('encode-process', import.meta.url);
const startEncoder = () => startProcess(ENCODER, { timeoutMs: LIMIT_MS.render });

/**
 * Encodes in a child process: an encoder on a thread continues after its request has ended. The start takes 0.2 s.
 * @throws the signal's reason; Error when it fails.
 */
async function encodeApart(pieces: Pieces, encoding: Encoding, signal: AbortSignal): Promise<Encoded> {
  const { body, size }: Encoded = await callTwice(startEncoder, [pieces, encoding], signal);
  return { body: Buffer.from(body), size };
}
