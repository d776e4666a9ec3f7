/** Returns undefined for text that is not JSON. Most callers then report a value that their schema refuses. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
