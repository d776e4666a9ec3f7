import type { z } from 'zod';
import type { blockByHost } from './by-host.ts';

type Fields = Pick<z.output<typeof blockByHost.schema>, 'block_ads' | 'block_trackers'>;

/** Whether the operator's lists have a say in this capture. Lists do not tell the two apart. */
export function usesLists({ block_ads: ads, block_trackers: trackers }: Fields): boolean {
  return ads || trackers;
}
