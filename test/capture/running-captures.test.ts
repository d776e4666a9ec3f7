import { describe, expect, it } from 'vitest';
import type { Capture } from '../../src/capture/capture.ts';
import { countRunning } from '../../src/capture/running-captures.ts';
import { fake } from '../support/fake.ts';

const args: Parameters<Capture> = [fake({}), fake({})];

describe('the counter of running captures', () => {
  it('is idle at once without captures', async () => {
    const { idle } = countRunning(() => Promise.reject(new Error('never called')));

    await expect(idle()).resolves.toBeUndefined();
  });

  it('is idle when the last capture has ended, with any outcome', async () => {
    const endings = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
    let started = 0;
    const { capture, idle } = countRunning(() => endings[started++]?.promise ?? Promise.reject(new Error()));
    const captures = [capture(...args), capture(...args)].map((each) => each.catch(() => undefined));
    const order: string[] = [];
    const isIdle = idle().then(() => order.push('idle'));

    for (const { reject } of endings) {
      order.push('ends');
      reject(new Error('failed'));
      await captures.shift();
    }
    await isIdle;

    expect(order).toEqual(['ends', 'ends', 'idle']);
  });
});
