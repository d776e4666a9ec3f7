/** Loaders of the picture library that are used. Others, such as SVG in gzip, make gigabytes of a few megabytes. */
const LOADERS = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadHeif'];

/**
 * Loads the picture library on first use: few captures need it, and it takes 50 ms and 20 MB. No two pictures are
 * equal, so it keeps none; the encoding limit decides how many pictures are worked on at once, with a thread for each.
 */
export function loadSharp() {
  return (loading ??= load());
}

let loading: ReturnType<typeof load> | undefined;

/** Sets up the library once: while its loaders are blocked, no picture that another capture decodes can be read. */
async function load() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return sharp;
}
