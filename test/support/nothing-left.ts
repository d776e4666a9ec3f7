import { deepEqual } from 'node:assert/strict';
import { afterAll, beforeAll, vi } from 'vitest';

const PROCESS_EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];

const warnings: (string | undefined)[] = [];
const addWarning = ({ stack }: Error): void => void warnings.push(stack);

interface Shared {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly listeners: Readonly<Record<string, number>>;
  readonly hasFakeTimers: boolean;
}

// Otherwise the next file in this process would fail instead.
let before: Shared;
beforeAll(() => {
  process.on('warning', addWarning);
  before = lookAtShared();
});
afterAll(() => {
  process.off('warning', addWarning);
  deepEqual(lookAtShared(), before);
  deepEqual(warnings.splice(0), []); // such as a file that only the garbage collector closes
});

function lookAtShared(): Shared {
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    listeners: Object.fromEntries(PROCESS_EVENTS.map((name) => [name, process.listenerCount(name)])),
    hasFakeTimers: vi.isFakeTimers(),
  };
}
