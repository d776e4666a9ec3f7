export const MAX_PATH_LENGTH = 512;
/** Maximum length of a name in common file systems, with room for suffixes. */
const MAX_PART_LENGTH = 200;

/** Description of a path that completes "must be". */
export const PATH_FORM = `a path of at most ${MAX_PATH_LENGTH} characters (A-Z a-z 0-9 . _ - /) without .., with parts of 1 to ${MAX_PART_LENGTH} characters that are not .`;

/**
 * True if a path names a file of the storage and nothing else: it is used unchanged as a file system path, as a key of
 * a bucket and in URLs.
 */
export function isStoredPath(path: string): boolean {
  if (path.length > MAX_PATH_LENGTH || !/^[\w.\-/]+$/.test(path) || path.includes('..')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part.length <= MAX_PART_LENGTH);
}
