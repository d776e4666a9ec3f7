import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      // Pure and in-process: part of `npm run check`, which must stay under a minute.
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/hostile/**'],
          testTimeout: 30_000,
        },
      },
      // A real browser and the built service over real HTTP. Two files at a time: most of what they do is wait.
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          maxWorkers: 2,
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
