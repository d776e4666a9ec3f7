import { isRunning } from '../../processes/process-stat.ts';
import { findChildren, findProcesses } from './process-table.ts';

/** Part of the command line of the network service process. */
export const NETWORK_SERVICE = '--utility-sub-type=network.mojom.NetworkService';
const PAGE_STARTER = '--type=zygote';

/**
 * The network service: the process that makes all connections of a browser. When it ends, the browser starts another,
 * and pages miss what was loading.
 */
export interface NetworkService {
  /** Remembers the present process. The returned function tells whether it has ended since. */
  readonly mark: () => NetworkLoss;
}

/** Given the outcome of some work, tells whether connections were lost during it. */
export type NetworkLoss = (outcome: 'done' | 'failed') => boolean;

/** @param group process group of the browser. Without /proc, or without such a process, nothing counts as lost */
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
        // When the mark was set, one process had ended and the next had not started yet. That may have caused a
        // failure.
        return wasSeen && outcome === 'failed';
      };
    },
  };
}

/**
 * Watches the zygote processes, from which all pages of a browser on Linux are forked and which the browser can't
 * replace. Considers direct children of the browser only, because forked children show the same command line for a
 * moment.
 * @param browser process id of a running browser
 * @returns a function that tells whether one of them has ended. Always false without /proc
 */
export function followPageStarters(browser: number): () => boolean {
  const starters = findChildren(browser, PAGE_STARTER);
  return () => !starters.every(isRunning);
}
