import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLifecycle } from '../../../src/core/service/lifecycle.ts';

describe('createLifecycle', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const log = pino({ level: 'silent' });

  it('closes resources in reverse order, one after the other, once', async () => {
    const closed: string[] = [];
    const lifecycle = createLifecycle(log);
    for (const name of ['browser', 'server']) {
      lifecycle.onClose({
        name,
        timeoutMs: 100,
        close: async () => {
          closed.push(`${name} begins`);
          await Promise.resolve();
          closed.push(`${name} ends`);
        },
      });
    }

    await Promise.all([lifecycle.close(), lifecycle.close()]);

    expect(closed).toEqual(['server begins', 'server ends', 'browser begins', 'browser ends']);
  });

  it('continues after a resource that fails, throws, or takes too long', async () => {
    const closed: string[] = [];
    const lifecycle = createLifecycle(log);
    lifecycle.onClose({ name: 'last', timeoutMs: 100, close: async () => void closed.push('last') });
    lifecycle.onClose({ name: 'endless', timeoutMs: 100, close: () => new Promise(() => undefined) });
    lifecycle.onClose({ name: 'failing', timeoutMs: 100, close: () => Promise.reject(new Error('no')) });
    lifecycle.onClose({
      name: 'throwing',
      timeoutMs: 100,
      close: () => {
        throw new Error('no');
      },
    });

    const closing = lifecycle.close();
    await vi.advanceTimersByTimeAsync(100);
    await closing;

    expect(closed).toEqual(['last']);
  });
});
