import type { z } from 'zod';
import type { blockByHost } from './by-host.ts';

type Fields = Pick<z.output<typeof blockByHost.schema>, 'block_ads' | 'block_trackers'>;

/** True if the filter lists apply to this capture. Lists don't distinguish ads from trackers. */
export function usesLists({ block_ads: ads, block_trackers: trackers }: Fields): boolean {
  return ads || trackers;
}
