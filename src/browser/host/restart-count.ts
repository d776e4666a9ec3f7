/** Why a browser was replaced by another. */
export const RESTART_REASONS = ['crashed', 'unresponsive', 'page_stuck', 'recycled'] as const;
export type RestartReason = (typeof RESTART_REASONS)[number];
export type RestartCounts = Readonly<Record<RestartReason, number>>;

interface RestartCount {
  readonly add: (reason: RestartReason) => void;
  readonly byReason: () => RestartCounts;
}

export function createRestartCount(): RestartCount {
  const counts: Record<RestartReason, number> = { crashed: 0, unresponsive: 0, page_stuck: 0, recycled: 0 };
  return {
    add: (reason) => {
      counts[reason]++;
    },
    byReason: () => ({ ...counts }),
  };
}
