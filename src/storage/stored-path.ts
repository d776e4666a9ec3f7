export const MAX_PATH_LENGTH = 512;
/** What the usual file systems hold in a name, with room for what stands beside a file. */
const MAX_PART_LENGTH = 200;

/** What a path is, in words that read on from "must be". */
export const PATH_FORM = `a path of at most ${MAX_PATH_LENGTH} of A-Z a-z 0-9 . _ - /, without .., / at either end and parts that are empty, . or longer than ${MAX_PART_LENGTH}`;

/**
 * Whether a path names a file of the storage and can name nothing else: it becomes a path of the file system, a key of a bucket and a
 * part of an address as it is.
 */
export function isStoredPath(path: string): boolean {
  if (path.length > MAX_PATH_LENGTH || !/^[\w.\-/]+$/.test(path) || path.includes('..')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part.length <= MAX_PART_LENGTH);
}
