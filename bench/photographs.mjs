import sharp from 'sharp';

/** How many photographs there are, and the size of each in pixels. */
export const PHOTOGRAPHS = { count: 9, width: 640, height: 480 };

const JPEG_QUALITY = 82; // with the noise below, 60 to 100 KB a picture, like a camera's at this size

/**
 * Generates photo-like JPEGs: soft colour fields, cloudy middle tones and a little grain. The noise is seeded, so equal
 * sharp versions give equal bytes.
 */
export async function createPhotographs() {
  return Promise.all(Array.from({ length: PHOTOGRAPHS.count }, (_, index) => createPhotograph(index)));
}

async function createPhotograph(index) {
  const random = createRandom(0x5eed + index);
  const [fields, clouds, grain] = await Promise.all([
    noise(random, { width: 8, height: 6, contrast: 220 }),
    noise(random, { width: 80, height: 60, contrast: 110 }),
    noise(random, { width: PHOTOGRAPHS.width, height: PHOTOGRAPHS.height, contrast: 92 }),
  ]);
  return sharp(fields)
    .composite([
      { input: clouds, blend: 'soft-light' },
      { input: grain, blend: 'soft-light' },
    ])
    .removeAlpha()
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
}

/** Generates a PNG of random colours around middle grey, stretched smoothly to the size of a photograph. */
async function noise(random, { width, height, contrast }) {
  const samples = Uint8Array.from({ length: width * height * 3 }, () => 128 + (random() - 0.5) * contrast);
  return sharp(samples, { raw: { width, height, channels: 3 } })
    .resize(PHOTOGRAPHS.width, PHOTOGRAPHS.height, { fit: 'fill', kernel: 'cubic' })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

/** mulberry32: numbers from 0 to 1, the same sequence for the same seed. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
