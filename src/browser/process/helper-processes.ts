import { findChildren, findProcesses, isRunning } from './process-table.ts';

/** In the command line of the process that makes all connections of a browser. */
export const NETWORK_SERVICE = '--utility-sub-type=network.mojom.NetworkService';
const PAGE_STARTER = '--type=zygote';

/** The process of a browser that makes all its connections. The browser starts another when it dies, and pages get half of what they load. */
export interface NetworkService {
  /** Remembers which process it is now. What comes back tells whether that one has gone since. */
  readonly mark: () => NetworkLoss;
}

/** Whether connections were lost under work that is done, or that has failed. */
export type NetworkLoss = (outcome: 'done' | 'failed') => boolean;

/** @param group the browser's process group. Where there is no /proc, or no such process, nothing is ever lost. */
export function followNetworkService(group: number): NetworkService {
  let pid: number | undefined;
  let wasSeen = false;

  return {
    mark: () => {
      if (pid === undefined || !isRunning(pid)) [pid] = findProcesses(group, NETWORK_SERVICE);
      wasSeen ||= pid !== undefined;
      const marked = pid;
      return (outcome) => {
        if (marked !== undefined) return !isRunning(marked);
        // Marked between the end of one and the start of the next: what failed then may have failed for that.
        return wasSeen && outcome === 'failed';
      };
    },
  };
}

/**
 * Follows the processes that all pages of a browser on Linux are forked from, which it can't replace. Only the browser's own children:
 * what they fork has their command line too, until it has read what it is to be.
 *
 * @param browser process id of a browser that is up.
 * @returns whether one of them has ended; never true where there is no /proc.
 */
export function followPageStarters(browser: number): () => boolean {
  const starters = findChildren(browser, PAGE_STARTER);
  return () => !starters.every(isRunning);
}
