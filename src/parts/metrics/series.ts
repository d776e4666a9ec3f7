import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** Prefix of all our metric names. */
export const PREFIX = 'capture_service_';

/** Histogram buckets in seconds. A plain page takes tenths of a second, a slow page up to its time limit. */
const SECONDS_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90];

type Values = Readonly<Record<string, number>>;
export type Series = ReturnType<typeof createSeries>;

/** Creates metrics in a registry. Their names are given without the prefix. */
export function createSeries(registry: Registry) {
  const shared = (name: string, help: string, labelNames: readonly string[]) => ({
    name: `${PREFIX}${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    counter: (name: string, help: string, labelNames: readonly string[] = []) =>
      new Counter(shared(name, help, labelNames)),
    /**
     * A counter whose values are kept elsewhere and read each time that the metrics are rendered. The names of the
     * values become the values of the label.
     */
    readCounter: (name: string, help: string, label: string, read: () => Values): void => {
      const counter: Counter<string> = new Counter({
        ...shared(name, help, [label]),
        collect: () => {
          counter.reset();
          for (const [value, count] of Object.entries(read())) counter.inc({ [label]: value }, count);
        },
      });
    },
    /** Like `readCounter`, for values that also fall. */
    readGauge: (name: string, help: string, label: string, read: () => Values): void => {
      const gauge: Gauge<string> = new Gauge({
        ...shared(name, help, [label]),
        collect: () => {
          for (const [value, size] of Object.entries(read())) gauge.set({ [label]: value }, size);
        },
      });
    },
    /** One value that is read each time that the metrics are rendered. */
    gauge: (name: string, help: string, read: () => number | Promise<number>): void => {
      const gauge: Gauge<string> = new Gauge({
        ...shared(name, help, []),
        collect: async () => gauge.set(await read()),
      });
    },
    /** Durations in seconds. */
    seconds: (name: string, help: string, labelNames: readonly string[] = [], smaller: readonly number[] = []) =>
      new Histogram({ ...shared(name, help, labelNames), buckets: [...smaller, ...SECONDS_BUCKETS] }),
  };
}
