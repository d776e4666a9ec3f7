import { loadSharp } from '../../../ground/load-sharp.ts';

/** Difference of a channel that lossy formats make in an area of one colour. */
const NOISE = 2;

/** True if all pixels of an encoded picture have the same colour. Decodes it, so call it within the `EncodeLimit`. */
export async function isPlainPicture(picture: Buffer): Promise<boolean> {
  const sharp = await loadSharp();
  const { channels } = await sharp(picture, { limitInputPixels: false }).stats();
  return channels.every(({ min, max }) => max - min <= NOISE);
}
