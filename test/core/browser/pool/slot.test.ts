import pino from 'pino';
import { expect, it, vi } from 'vitest';
import type { BrowserHost } from '../../../../src/core/browser/host/browser-host.ts';
import { createSlot } from '../../../../src/core/browser/pool/slot.ts';
import type { Gate } from '../../../../src/core/egress/gate/gate.ts';
import { fake } from '../../../support/fake.ts';

// The page that was being prepared stayed pending, so the capture waited for its whole time.
it('does not wait for a page that is being prepared while no browser can be started', async () => {
  const openPage = vi
    .fn<BrowserHost['openPage']>()
    .mockRejectedValue(new Error("the browser can't be started"))
    .mockReturnValueOnce(Promise.race([]));
  const host = fake<BrowserHost>({ openPage, state: () => ({ state: 'failing' }) });
  const gate = fake<Gate>({});
  const slot = createSlot({ gate, createGate: async () => gate, host, log: pino({ level: 'silent' }) });
  slot.warm();

  await expect(slot.takePage(new AbortController().signal, false)).rejects.toThrow("can't be started");
});
