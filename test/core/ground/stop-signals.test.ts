import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onStopSignals } from '../../../src/core/service/stop-signals.ts';

function listen() {
  const source = new EventEmitter();
  const [stop, stopNow] = [vi.fn<(signal: string) => void>(), vi.fn<() => void>()];
  let now = 5_000;
  onStopSignals({ stop, stopNow }, source, () => now);
  return {
    stop,
    stopNow,
    send: (signal: 'SIGTERM' | 'SIGINT', atMs: number) => {
      now = 5_000 + atMs;
      source.emit(signal, signal);
    },
  };
}

describe('stop signals', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('stop the service once by %s', (signal) => {
    const { stop, stopNow, send } = listen();

    send(signal, 0);

    expect(stop.mock.calls).toEqual([[signal]]);
    expect(stopNow).not.toHaveBeenCalled();
  });

  it('are ignored within a second of the first', () => {
    const { stop, stopNow, send } = listen();

    send('SIGTERM', 0);
    send('SIGTERM', 1);
    send('SIGINT', 999);

    expect(stop).toHaveBeenCalledTimes(1);
    expect(stopNow).not.toHaveBeenCalled();
  });

  it('force an immediate stop if they come later', () => {
    const { stop, stopNow, send } = listen();

    send('SIGTERM', 0);
    send('SIGTERM', 1_000);

    expect(stop).toHaveBeenCalledTimes(1);
    expect(stopNow).toHaveBeenCalledTimes(1);
  });
});
