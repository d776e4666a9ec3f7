/** When the time of every reproducible page begins, in Unix milliseconds: 1 January 2025, 12:00 UTC. */
export const MOMENT_MS = Date.UTC(2025, 0, 1, 12);
