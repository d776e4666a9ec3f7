import { socketsOf } from '../../egress/peers/socket-files.ts';
import { NETWORK_SERVICE } from './helper-processes.ts';
import { findProcesses, isRunning } from './process-table.ts';

/** To look for processes takes some 4 ms: what strangers try must not cost that each time. */
const SEEN_LAST_MS = 50;

/**
 * Tells whether a socket, by its inode, is one of the browsers': of the process that makes their connections, or of the first, where
 * that does it itself. Undefined when their files can't be seen.
 *
 * @param groups the process groups of the browsers that run.
 */
export function createSocketOwner(groups: () => readonly number[]): (inode: string) => boolean | undefined {
  let known: readonly number[] = [];
  let lookedAt = -Infinity;
  // Of the last look: a page opens its connections together, and one look shows all of them. An inode is not given twice.
  let sockets: ReadonlySet<string> = new Set();
  const look = (inode: string): boolean | undefined => {
    let answer: boolean | undefined;
    for (const pid of known) {
      const open = socketsOf(pid);
      if (open?.has(inode) === true) {
        sockets = open;
        return true;
      }
      answer ??= open === undefined ? undefined : false;
    }
    return answer;
  };

  return (inode) => {
    if (sockets.has(inode)) return true;
    const answer = look(inode);
    if (answer === true) return true;
    const running = groups();
    const isSeen = running.every((pid) => known.includes(pid)) && known.every(isRunning);
    if (isSeen && performance.now() - lookedAt < SEEN_LAST_MS) return answer;
    lookedAt = performance.now();
    // Those that connect come first: the others have many more files.
    known = [...running.flatMap((group) => findProcesses(group, NETWORK_SERVICE)), ...running];
    return look(inode);
  };
}
