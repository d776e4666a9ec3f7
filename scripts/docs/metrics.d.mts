import type { createMetrics } from '../../src/parts/metrics/metrics.ts';

export interface MetricDescription {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly help: string;
}

interface Counting {
  readonly createMetrics: typeof createMetrics;
  readonly prefix: string;
}

export declare function describeMetrics(counting: Counting): Promise<MetricDescription[]>;
