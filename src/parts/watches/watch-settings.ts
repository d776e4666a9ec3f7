import { wholeNumber } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of watches. */
export const WATCH_SETTINGS = {
  watchMax: setting('WATCH_MAX', {
    ...wholeNumber(0, 100_000),
    default: '1000',
    meaning: 'Maximum number of watches. One key may have half of them. 0: none can be added',
  }),
  watchMinInterval: setting('WATCH_MIN_INTERVAL', {
    ...wholeNumber(1_000, 86_400_000),
    default: '60000',
    meaning: 'Shortest time between two runs of a watch, in milliseconds',
  }),
};

export type WatchSettings = ConfigOf<typeof WATCH_SETTINGS>;
