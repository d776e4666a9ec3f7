import { deepEqual } from 'node:assert/strict';
import { afterAll, beforeAll, vi } from 'vitest';

const PROCESS_EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];

interface Shared {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly listeners: Readonly<Record<string, number>>;
  readonly hasFakeTimers: boolean;
}

// Otherwise the next file in this process would fail instead.
let before: Shared;
beforeAll(() => {
  before = lookAtShared();
});
afterAll(() => deepEqual(lookAtShared(), before));

function lookAtShared(): Shared {
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    listeners: Object.fromEntries(PROCESS_EVENTS.map((name) => [name, process.listenerCount(name)])),
    hasFakeTimers: vi.isFakeTimers(),
  };
}
