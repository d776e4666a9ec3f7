/** Prefix of all our metric names. */
export const PREFIX = 'capture_service_';

/** Histogram buckets in seconds. A plain page takes tenths of a second, a slow page up to its time limit. */
export const SECONDS_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90];
