import { socketsOf } from '../../egress/peers/socket-files.ts';
import { isRunning } from '../../processes/process-stat.ts';
import { NETWORK_SERVICE } from './helper-processes.ts';
import { findProcesses } from './process-table.ts';

/**
 * Lifetime of the cached result. Listing processes takes about 4 ms, so connection attempts of other programs must not
 * trigger it each time.
 */
const SEEN_LAST_MS = 50;

/**
 * Tells whether a socket, identified by its inode, belongs to one of the browsers: to the network service or the
 * browser process. Undefined if the files of the processes can't be read.
 * @param groups process groups of the running browsers
 */
export function createSocketOwner(groups: () => readonly number[]): (inode: string) => boolean | undefined {
  let known: readonly number[] = [];
  let readAt = -Infinity;
  // Sockets of the last listing. A page opens its connections together, so one listing shows all of them. Inodes are
  // not reused.
  let sockets: ReadonlySet<string> = new Set();
  const isOurs = (inode: string): boolean | undefined => {
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
    const answer = isOurs(inode);
    if (answer === true) return true;
    const running = groups();
    const isSeen = running.every((pid) => known.includes(pid)) && known.every(isRunning);
    if (isSeen && performance.now() - readAt < SEEN_LAST_MS) return answer;
    readAt = performance.now();
    // The network services come first: the other processes have many more files.
    known = [...running.flatMap((group) => findProcesses(group, NETWORK_SERVICE)), ...running];
    return isOurs(inode);
  };
}
