import { defineConfig } from 'vitest/config';
import { pageCode } from './scripts/page-code.mjs';

const FAKE_TIMERS: ('setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval' | 'Date' | 'performance')[] = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'Date',
  'performance',
];

/**
 * The same for the projects that run together; Vitest would run them one after the other otherwise. `scripts/test.mjs`
 * chooses the number of workers. Files share the process of their worker: to start a process and load the modules takes
 * longer than most files. No file may leave anything behind in it.
 *
 * Vitest starts the integration tests first, and the slowest files of the last run before the others. It keeps the times in
 * node_modules/.vite; without them it starts the largest files first.
 */
const SHARED_WORKERS = {
  maxWorkers: Number(process.env['TEST_WORKERS'] ?? 4),
  isolate: false,
  setupFiles: ['test/support/nothing-left.ts'],
  // Without setImmediate, which `withTimeout` uses to read answers before it gives up.
  fakeTimers: { toFake: FAKE_TIMERS },
};

const PLUGINS = [pageCode(import.meta.dirname)];

/** Suites that take minutes: hostile cases, fidelity, lost browsers and disks, playground, README. */
const LONG = 'test/**/*.long.test.ts';

/** Longer than every limit inside, on a busy machine too. */
const SERVICE_TIMEOUTS = { testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      // Pure and in-process: part of `npm run check`, which must stay under a minute.
      {
        plugins: PLUGINS,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/hostile/**', LONG],
          ...SHARED_WORKERS,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      // A real browser and the built service over real HTTP.
      {
        plugins: PLUGINS,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: [LONG],
          globalSetup: ['test/support/offer-shared-service.ts'],
          ...SHARED_WORKERS,
          ...SERVICE_TIMEOUTS,
        },
      },
      // The same, for the long suites. `npm run test:all`.
      {
        plugins: PLUGINS,
        test: {
          name: 'long',
          include: [LONG],
          globalSetup: ['test/support/offer-shared-service.ts'],
          ...SHARED_WORKERS,
          ...SERVICE_TIMEOUTS,
        },
      },
      // Attacks, one after the other: minutes of them. `npm run test:hostile` only.
      {
        plugins: PLUGINS,
        test: {
          name: 'hostile',
          include: ['test/hostile/**/*.test.ts'],
          exclude: [LONG],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
