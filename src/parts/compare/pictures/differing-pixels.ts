import { IGNORED } from './bitmap.ts';

/** Square of the distance of black and white: colours are weighed as people see them (YIQ). */
const LARGEST_DISTANCE = 35_215;

/** Returns a function that tells whether two pixels differ by more than the threshold. */
export function createDiffers(threshold: number): (one: number, two: number) => boolean {
  if (threshold >= 1) return () => false;
  const limit = LARGEST_DISTANCE * threshold ** 2;
  return (one, two) => {
    if (one === two || one === IGNORED || two === IGNORED) return false;
    const red = (one & 255) - (two & 255);
    const green = ((one >>> 8) & 255) - ((two >>> 8) & 255);
    const blue = ((one >>> 16) & 255) - ((two >>> 16) & 255);
    const y = red * 0.29889531 + green * 0.58662247 + blue * 0.11448223;
    const i = red * 0.59597799 - green * 0.2741761 - blue * 0.32180189;
    const q = red * 0.21147017 - green * 0.52261711 + blue * 0.31114694;
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q > limit;
  };
}
