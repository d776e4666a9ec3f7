import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { BrowserHost } from '../../../../src/core/browser/host/browser-host.ts';
import type { HostedPage } from '../../../../src/core/browser/host/hosted-browser.ts';
import { BACKGROUND } from '../../../../src/core/queue/fair-share.ts';
import type { PageLease } from '../../../../src/core/browser/pool/lease.ts';
import { createPagePool } from '../../../../src/core/browser/pool/page-pool.ts';
import { NOWHERE } from '../../../../src/core/egress/destination.ts';
import type { Gate } from '../../../../src/core/egress/gate/gate.ts';
import { fake } from '../../../support/fake.ts';

const never = new AbortController().signal;

describe('createPagePool', () => {
  it('leases as many pages as there are slots, and queues the others', async () => {
    const { pool } = poolWith({ size: 2 });

    await Promise.all([pool.lease(NOWHERE, never), pool.lease(NOWHERE, never)]);
    void pool.lease(NOWHERE, never);

    expect(pool.state()).toEqual({ size: 2, busy: 2, waiting: 1 });
  });

  it('serves the queue first come, first served', async () => {
    const { pool } = poolWith({ size: 1 });
    const served: string[] = [];
    const queue = ['first', 'second', 'third'].map(async (name) => {
      const lease = await pool.lease(NOWHERE, never);
      served.push(name);
      lease.release();
    });

    await Promise.all(queue);
    await pool.idle();

    expect(served).toEqual(['first', 'second', 'third']);
    expect(pool.state()).toEqual({ size: 1, busy: 0, waiting: 0 });
  });

  it('refuses one request over the queue limit immediately', async () => {
    const { pool } = poolWith({ size: 1, maxQueue: 1 });
    await pool.lease(NOWHERE, never);
    expect(pool.isFull()).toBe(false);
    expect(pool.refuseWhenFull).not.toThrow();
    void pool.lease(NOWHERE, never);

    expect(pool.isFull()).toBe(true);
    expect(pool.refuseWhenFull).toThrow('Too many captures are waiting');
    await expect(pool.lease(NOWHERE, never)).rejects.toMatchObject({
      type: 'OverloadedError',
      retryAfterSeconds: 1,
    });
    expect(pool.state()).toMatchObject({ busy: 1, waiting: 1 });
  });

  it('keeps a reserved slot for the next background job', async () => {
    const { pool } = poolWith({ size: 1 });
    const release = await pool.reserve(never);
    const other = pool.lease(NOWHERE, never, { client: 'a' });

    const lease = await pool.lease(NOWHERE, never, { client: BACKGROUND });
    release(); // the reservation is used: nothing to release
    expect(pool.state()).toEqual({ size: 1, busy: 1, waiting: 1 });
    lease.release();

    expect((await other).page).toBeDefined();
  });

  it('gives an unused reservation to the next client, and counts it as free', async () => {
    const { pool } = poolWith({ size: 1 });
    const release = await pool.reserve(never);
    expect(pool.state()).toEqual({ size: 1, busy: 0, waiting: 0 });
    const other = pool.lease(NOWHERE, never, { client: 'a' });

    release();
    release();

    expect((await other).page).toBeDefined();
    expect(pool.state()).toEqual({ size: 1, busy: 1, waiting: 0 });
  });

  it('releases an unused reservation after a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { pool } = poolWith({ size: 1 });
    await pool.reserve(never);
    const other = pool.lease(NOWHERE, never, { client: 'a' });

    vi.advanceTimersByTime(1_000);
    vi.useRealTimers();

    expect((await other).page).toBeDefined();
  });

  it('removes only the waiter that disconnected', async () => {
    const { pool } = poolWith({ size: 1 });
    const held = await pool.lease(NOWHERE, never);
    const client = new AbortController();
    const ended = pool.lease(NOWHERE, client.signal);
    const patient = pool.lease(NOWHERE, never);

    client.abort(new Error('gone'));
    await expect(ended).rejects.toThrow('gone');
    expect(pool.state()).toMatchObject({ busy: 1, waiting: 1 });
    held.release();

    expect((await patient).page).toBeDefined();
    expect(pool.state()).toMatchObject({ busy: 1, waiting: 0 });
  });

  it('takes no slot for a client that has already disconnected', async () => {
    const { pool, opened } = poolWith({ size: 1 });

    await expect(pool.lease(NOWHERE, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');

    expect(opened).toEqual([]);
    expect(pool.state()).toMatchObject({ busy: 0 });
  });

  it('closes a page that opens too late, and passes its slot on', async () => {
    const late = Promise.withResolvers<void>();
    const { pool, opened } = poolWith({ size: 1, beforeOpen: () => late.promise });
    const client = new AbortController();
    const ended = pool.lease(NOWHERE, client.signal);

    client.abort(new Error('gone'));
    await expect(ended).rejects.toThrow('gone');
    expect(pool.state()).toMatchObject({ busy: 0 });
    late.resolve();
    const lease = await pool.lease(NOWHERE, never);

    expect(lease.page).toBeDefined();
    expect(opened.map((page) => page.closed)).toEqual([true, false]);
  });

  it('passes the slot on only after the page is closed, and once', async () => {
    const closing = Promise.withResolvers<void>();
    const { pool } = poolWith({ size: 1, onClose: () => closing.promise });
    const lease = await pool.lease(NOWHERE, never);

    lease.release();
    lease.release();
    expect(pool.state()).toMatchObject({ busy: 1 });
    closing.resolve();
    await pool.idle();

    expect(pool.state()).toEqual({ size: 1, busy: 0, waiting: 0 });
  });

  it('passes the slot on if the page fails to close or to open', async () => {
    const { pool } = poolWith({ size: 1, onClose: () => Promise.reject(new Error('stuck')) });
    (await pool.lease(NOWHERE, never)).release();
    await pool.idle();
    const broken = poolWith({ size: 1, beforeOpen: () => Promise.reject(new Error('no browser')) });

    await expect(broken.pool.lease(NOWHERE, never)).rejects.toThrow('no browser');

    expect(pool.state()).toMatchObject({ busy: 0 });
    expect(broken.pool.state()).toMatchObject({ busy: 0 });
  });

  it('gives the slot another gate after a page that could not be closed, and closes the old one with its browser', async () => {
    const browser = Promise.withResolvers<void>();
    const other: Gate = { ...gateOf({ opened: 0, closed: 0, gone: 0 }), port: 3 };
    const { pool, ports, passes } = poolWith({
      size: 1,
      lateEnd: browser.promise,
      createGate: async () => other,
    });
    (await pool.lease(NOWHERE, never)).release();
    await pool.lease(NOWHERE, never);

    expect(ports).toEqual([1, 3]);
    expect(passes).toEqual({ opened: 1, closed: 1, gone: 0 });
    browser.resolve();
    await vi.waitFor(() => expect(passes.gone).toBe(1));
  });

  it('waits for the end of that browser if there is no other gate', async () => {
    const browser = Promise.withResolvers<void>();
    const createGate = vi.fn<() => Promise<Gate>>().mockRejectedValue(new Error('EMFILE'));
    const { pool, ports } = poolWith({ size: 1, lateEnd: browser.promise, createGate });
    (await pool.lease(NOWHERE, never)).release();
    const next = pool.lease(NOWHERE, never);
    await vi.waitFor(() => expect(createGate).toHaveBeenCalledOnce());
    expect(ports).toEqual([1]);

    browser.resolve();
    await next;

    expect(ports).toEqual([1, 1]);
  });

  it('closes the gate with the lease, before the slot is passed on', async () => {
    const { pool, passes } = poolWith({ size: 1 });
    const lease: PageLease = await pool.lease(NOWHERE, never);
    expect(passes).toEqual({ opened: 1, closed: 0, gone: 0 });

    lease.release();

    expect(passes).toEqual({ opened: 1, closed: 1, gone: 0 });
  });

  it('aborts every wait on the page when the client disconnects', async () => {
    const { pool, opened } = poolWith({ size: 1 });
    const client = new AbortController();

    await pool.lease(NOWHERE, client.signal);

    expect(opened[0]?.endsWith).toContain(client.signal);
  });
});

interface FakePage {
  closed: boolean;
  readonly endsWith: AbortSignal[];
}

interface Given {
  readonly size: number;
  readonly maxQueue?: number;
  readonly beforeOpen?: () => Promise<void>;
  readonly onClose?: () => Promise<void>;
  readonly lateEnd?: Promise<void>;
  readonly createGate?: () => Promise<Gate>;
}

function poolWith({ size, maxQueue = 10, beforeOpen, onClose, lateEnd, createGate }: Given) {
  const opened: FakePage[] = [];
  const passes = { opened: 0, closed: 0, gone: 0 };
  const ports: number[] = [];
  const openPage: BrowserHost['openPage'] = async ({ port }) => {
    ports.push(port);
    await beforeOpen?.();
    const seen: FakePage = { closed: false, endsWith: [] };
    opened.push(seen);
    const page: Pick<HostedPage, 'endWith' | 'close' | 'begin' | 'lateEnd'> = {
      begin: () => undefined,
      endWith: (signal) => seen.endsWith.push(signal),
      close: async () => {
        await onClose?.();
        seen.closed = true;
      },
      lateEnd: () => lateEnd,
    };
    return fake(page);
  };
  const host: Pick<BrowserHost, 'openPage' | 'onReplaced' | 'state'> = {
    openPage,
    onReplaced: () => undefined,
    state: () => fake({ state: 'running' }),
  };
  const gate = gateOf(passes);
  const pool = createPagePool({
    host: fake(host),
    gates: Array.from({ length: size }, () => gate),
    createGate: createGate ?? (async () => gate),
    maxQueue,
    log: pino({ level: 'silent' }),
  });
  return { pool, opened, ports, passes };
}

interface Passes {
  opened: number;
  closed: number;
  gone: number;
}

/** A gate that counts its sessions, and its end. */
function gateOf(passes: Passes): Gate {
  return {
    port: 1,
    webSocketPort: 2,
    open: () => {
      passes.opened++;
      return {
        refusedCount: () => 0,
        refusalOf: () => undefined,
        block: () => undefined,
        endSilent: () => undefined,
        serve: () => '',
        lacksFile: () => false,
        close: () => void passes.closed++,
      };
    },
    close: async () => void passes.gone++,
  };
}
