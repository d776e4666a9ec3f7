import { type CompareState, createCompare } from './compare.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import type { Part } from '../../core/part.ts';

/** Compares two captures. */
export const COMPARE: Part<MetricsState, CompareState> = {
  open: ({ budgets, lifecycle, metrics }) => {
    const compare = createCompare({ ...metrics, budget: budgets.answers });
    lifecycle.onClose({ name: 'comparisons', timeoutMs: 1_000, close: compare.close });
    return { state: { compare } };
  },
};
