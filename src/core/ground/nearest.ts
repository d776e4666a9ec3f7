import leven from 'leven';

/**
 * Maximum number of characters that are compared: the time of a comparison grows with the name, which a client chooses.
 */
const MAX_COMPARED = 100;

/** Returns the known names, the most similar first. */
export function byLikeness(name: string, known: readonly string[]): readonly string[] {
  const compared = name.slice(0, MAX_COMPARED);
  return known.toSorted((a, b) => leven(a, compared) - leven(b, compared));
}

/** Returns the known name that was probably meant. Undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = byLikeness(name, known);
  const isNear =
    nearest !== undefined && leven(nearest, name.slice(0, MAX_COMPARED)) <= Math.max(2, nearest.length / 3);
  return isNear ? nearest : undefined;
}
