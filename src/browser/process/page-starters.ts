import { findChildren, isRunning } from './process-table.ts';

const COMMAND = '--type=zygote';

/**
 * Follows the processes that all pages of a browser on Linux are forked from, which it can't replace. Only the browser's own children:
 * what they fork has their command line too, until it has read what it is to be.
 *
 * @param browser process id of a browser that is up.
 * @returns whether one of them has ended; never true where there is no /proc.
 */
export function followPageStarters(browser: number): () => boolean {
  const starters = findChildren(browser, COMMAND);
  return () => !starters.every(isRunning);
}
