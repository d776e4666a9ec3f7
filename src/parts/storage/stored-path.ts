import { isStoredPath } from '../../core/capture/request/result-path.ts';

/** Folders for the files that the service names: of jobs, of watches, and stored results without a `store_path`. */
const OWN_FOLDERS = { jobs: '~jobs', days: '~days', watches: '~watches' } as const;

/**
 * Returns a path for a file that the service names. No client path can equal it or contain it, because client paths
 * contain no `~`, independent of the letter case, the file system and the kind of storage.
 */
export function ownPath(folder: keyof typeof OWN_FOLDERS, name: string): string {
  return `${OWN_FOLDERS[folder]}/${name}`;
}

/**
 * True for paths that links may lead to: paths of clients, and paths of `ownPath`. `core/access/owners.ts` puts them
 * into namespaces.
 */
export function isLinkedPath(path: string): boolean {
  const folder = Object.values(OWN_FOLDERS).find((own) => path.startsWith(`${own}/`));
  return isStoredPath(folder === undefined ? path : path.slice(folder.length + 1));
}
