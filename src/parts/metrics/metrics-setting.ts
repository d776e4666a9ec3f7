import { toggle, wholeNumber } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of the metrics. */
export const METRICS_SETTINGS = {
  metricsPerKey: setting('METRICS_PER_KEY', {
    ...toggle(),
    default: 'false',
    meaning: 'Adds the label key to the metrics of captures',
  }),
  metricsPort: setting('METRICS_PORT', {
    ...wholeNumber(0, 65_535),
    meaning: 'Separate port for /metrics, without authentication. Unset: on PORT, with AUTH_TOKEN if it is set',
  }),
};

export type MetricsSettings = ConfigOf<typeof METRICS_SETTINGS>;
