import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Alike for the projects that run together, or they would run one after the other. Twice as many as a small machine has cores: half of
 * what a test does is wait. Files share the process of their worker, as to start one and load the modules takes longer than most of
 * them do: none may leave anything behind in it.
 */
const SHARED_WORKERS = { maxWorkers: 4, isolate: false, setupFiles: ['test/support/nothing-left.ts'] };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      // Pure and in-process: part of `npm run check`, which must stay under a minute.
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/hostile/**'],
          ...SHARED_WORKERS,
          testTimeout: 30_000,
        },
      },
      // A real browser and the built service over real HTTP.
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          ...SHARED_WORKERS,
          testTimeout: 60_000, // more than anything takes that is waited for inside
          hookTimeout: 60_000,
        },
      },
      // Attacks, one after the other: minutes of them. `npm run test:hostile` only.
      {
        test: {
          name: 'hostile',
          include: ['test/hostile/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
