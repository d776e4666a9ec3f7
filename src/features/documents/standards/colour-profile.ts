import { loadSharp } from '../../../core/ground/load-sharp.ts';

let profile: Promise<Buffer> | undefined; // cached like a module: constant

/** Returns the colour profile of the screen, sRGB, as the picture library has it. */
export function screenProfile(): Promise<Buffer> {
  profile ??= readProfile().catch((error: unknown) => {
    profile = undefined;
    throw error;
  });
  return profile;
}

async function readProfile(): Promise<Buffer> {
  const sharp = await loadSharp();
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } });
  const { icc } = await sharp(await pixel.withIccProfile('srgb').png().toBuffer()).metadata();
  if (icc === undefined) throw new Error('the picture library has no profile of sRGB');
  return icc;
}
