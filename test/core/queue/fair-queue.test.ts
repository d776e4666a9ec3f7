import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/core/queue/fair-queue.ts';
import { BACKGROUND, type KeyLimit } from '../../../src/core/queue/fair-share.ts';

const never = new AbortController().signal;

describe('FairQueue', () => {
  it('gives a single client every slot, first come, first served', async () => {
    const { enqueue, end, running } = queueWith({ size: 3 });

    for (let count = 0; count < 6; count++) enqueue('a');
    await settled();
    expect(running()).toEqual(['a1', 'a2', 'a3']);
    end('a2');
    await settled();

    expect(running()).toEqual(['a1', 'a3', 'a4']);
  });

  it('alternates between clients, however many captures one has queued', async () => {
    const { enqueue, end, running } = queueWith({ size: 1 });
    for (let count = 0; count < 4; count++) enqueue('a');
    for (const name of ['b', 'c', 'b']) enqueue(name);
    await settled();

    const served: string[] = [];
    for (let turn = 0; turn < 7; turn++) {
      const [now = ''] = running();
      served.push(now);
      end(now);
      await settled();
    }

    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('gives a slot to the client with the fewest running captures', async () => {
    const { enqueue, end, running } = queueWith({ size: 5 });
    for (let count = 0; count < 8; count++) enqueue('a');
    for (let count = 0; count < 4; count++) enqueue('b');
    await settled();

    for (const name of ['a1', 'a2', 'a3']) {
      end(name);
      await settled();
    }

    expect(running().map(clientOf).toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('reserves the last free slot for a client without a running capture while several are active', async () => {
    const { enqueue, end, running, waiting } = queueWith({ size: 3 });
    for (const name of ['a', 'b', 'a', 'b']) enqueue(name);
    await settled();
    expect(running()).toEqual(['a1', 'b1']);
    expect(waiting()).toBe(2);

    enqueue('c');
    await settled();
    expect(running()).toEqual(['a1', 'b1', 'c1']);

    for (const name of ['c1', 'b1']) end(name);
    await settled();
    expect(running()).toEqual(['a1', 'b2']);
    end('b2');
    await settled();
    expect(running()).toEqual(['a1', 'a2']); // the client is alone again
  });

  it('gives a client all slots again when the other clients have left the queue', async () => {
    const { enqueue, end, running } = queueWith({ size: 2 });
    const ended = new AbortController();
    for (const name of ['a', 'a', 'a']) enqueue(name);
    enqueue('b', ended.signal);
    enqueue('b', ended.signal);
    await settled();
    end('a1');
    await settled();
    expect(running()).toEqual(['a2', 'b1']);
    end('b1');
    await settled();
    expect(running()).toEqual(['a2', 'b2']);
    end('b2');
    ended.abort(new Error('gone'));
    await settled();

    expect(running()).toEqual(['a2', 'a3']);
  });

  it('adds an extra slot for a new client when another holds all slots, and removes it afterwards', async () => {
    const { enqueue, end, running } = queueWith({ size: 2, hasExtraSlot: true });
    for (let count = 0; count < 4; count++) enqueue('a');
    await settled();
    expect(running()).toEqual(['a1', 'a2']);

    enqueue('b');
    enqueue('b');
    enqueue('c');
    await settled();
    expect(running()).toEqual(['a1', 'a2', 'b1']);
    end('a1');
    await settled();

    expect(running()).toEqual(['a2', 'b1']); // this release frees the extra slot, not another one
    end('a2');
    await settled();
    expect(running()).toEqual(['b1', 'c1']);
  });

  it('limits one client to half of the queue, and leaves the rest to others', async () => {
    const { enqueue, refused, waiting } = queueWith({ size: 1, maxQueue: 4 });
    for (let count = 0; count < 5; count++) enqueue('a');
    await settled();
    expect([waiting(), refused()]).toEqual([
      2,
      ['a4: Too many captures of this client are waiting', 'a5: Too many captures of this client are waiting'],
    ]);

    enqueue('b');
    enqueue('c');
    await settled();

    expect(waiting()).toBe(4);
    expect(refused()).toHaveLength(2);
  });

  it('removes the newest capture of the client with the most when several clients fill the queue', async () => {
    const { enqueue, refused, queue } = queueWith({ size: 1, maxQueue: 4 });
    for (const name of ['a', 'a', 'a', 'b', 'b']) enqueue(name);
    await settled();
    expect(queue.isFull()).toBe(false);
    expect(() => queue.refuseWhenFull('b')).toThrow('Too many captures are waiting');

    for (const name of ['c', 'd', 'e']) enqueue(name);
    await settled();

    expect(refused().toSorted()).toEqual([
      'a3: Too many captures of this client are waiting',
      'b2: Too many captures of this client are waiting',
      'e1: Too many captures are waiting',
    ]);
    expect(queue.isFull()).toBe(true);
  });

  it('keeps no state for absent clients', async () => {
    const { enqueue, end, running } = queueWith({ size: 2 });
    enqueue('a');
    await settled();
    end('a1');
    enqueue('b');
    enqueue('b');
    await settled();

    expect(running()).toEqual(['b1', 'b2']);
  });

  it('gives background jobs free slots, but not the last one while a client is active', async () => {
    const { enqueue, running } = queueWith({ size: 3 });
    for (let count = 0; count < 3; count++) enqueue(BACKGROUND);
    await settled();
    expect(running()).toEqual([`${BACKGROUND}1`, `${BACKGROUND}2`, `${BACKGROUND}3`]);

    const { enqueue: enqueueOther, running: runningThere, end } = queueWith({ size: 3 });
    for (const name of ['a', BACKGROUND, BACKGROUND]) enqueueOther(name);
    await settled();
    expect(runningThere()).toEqual(['a1', `${BACKGROUND}1`]);
    end('a1');
    await settled();
    expect(runningThere()).toEqual([`${BACKGROUND}1`, `${BACKGROUND}2`]);
  });

  it('serves clients before background jobs', async () => {
    const { enqueue, end, running } = queueWith({ size: 1 });
    for (const name of [BACKGROUND, BACKGROUND, 'a', 'b', 'a']) enqueue(name);
    await settled();

    const served: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const [now = ''] = running();
      served.push(now);
      end(now);
      await settled();
    }

    expect(served).toEqual([`${BACKGROUND}1`, 'a1', 'b1', 'a2', `${BACKGROUND}2`]);
  });

  it('neither refuses background jobs nor refuses clients because of them', async () => {
    const { enqueue, refused, waiting, running, queue } = queueWith({ size: 2, maxQueue: 1 });
    for (let count = 0; count < 5; count++) enqueue(BACKGROUND);
    await settled();

    expect([refused(), waiting(), queue.isFull()]).toEqual([[], 0, false]);
    enqueue('a');
    await settled();
    expect([refused(), waiting(), running().length]).toEqual([[], 1, 2]);
  });

  it('reports how long no client was active', async () => {
    let nowMs = 0;
    const { enqueue, end, queue } = queueWith({ size: 2, now: () => nowMs });
    enqueue(BACKGROUND);
    await settled();
    expect(queue.quietMs()).toBe(Infinity);
    enqueue('a');
    await settled();
    nowMs = 10;
    expect(queue.quietMs()).toBe(0);
    end('a1');
    nowMs = 25;

    expect(queue.quietMs()).toBe(15);
  });

  it.each([
    { size: 1, hasExtraSlot: false },
    { size: 1, hasExtraSlot: true },
    { size: 2, hasExtraSlot: true },
    { size: 3, hasExtraSlot: false },
  ])('gives a background job one slot after half a minute without a gap: %j', async (slots) => {
    let nowMs = 0;
    const { enqueue, end, running, queue } = queueWith({ ...slots, now: () => nowMs });
    const clients = ['a', 'b', 'c', 'd'];
    for (const name of [...clients, ...clients]) enqueue(name);
    for (let count = 0; count < 2; count++) enqueue(BACKGROUND);
    await settled();
    const served: string[] = [];
    /** Ends the oldest capture; its client requests the next one at once. */
    const endOldest = async (): Promise<void> => {
      const oldest = running().find((name) => clientOf(name) !== BACKGROUND) ?? '';
      end(oldest);
      enqueue(clientOf(oldest));
      await settled();
      served.push(...running().filter((name) => clientOf(name) === BACKGROUND));
    };

    while (nowMs < 29_000) {
      nowMs += 1_000;
      await endOldest();
    }
    expect([served, queue.isBackgroundDue()]).toEqual([[], false]);
    nowMs = 30_000;
    expect(queue.isBackgroundDue()).toBe(true);
    for (let turn = 0; turn < clients.length && served.length === 0; turn++) await endOldest();

    expect(new Set(served)).toEqual(new Set([`${BACKGROUND}1`])); // and no second one next to it
  });

  it('delays the next background job for as long as the last one took', async () => {
    let nowMs = 30_000;
    const { enqueue, end, running, queue } = queueWith({ size: 1, now: () => nowMs });
    nowMs = 60_000;
    for (const name of ['a', BACKGROUND, 'a', 'a']) enqueue(name);
    await settled();
    end('a1');
    await settled();
    expect(running()).toEqual([`${BACKGROUND}1`]);

    nowMs += 90_000;
    end(`${BACKGROUND}1`);
    await settled();
    expect(running()).toEqual(['a2']);

    nowMs += 89_999;
    expect(queue.isBackgroundDue()).toBe(false);
    nowMs += 1;
    expect(queue.isBackgroundDue()).toBe(true);
  });

  it('gives a single client every slot that background jobs leave free', async () => {
    const { enqueue, running } = queueWith({ size: 3 });
    for (const name of [BACKGROUND, 'a', 'a', 'a']) enqueue(name);
    await settled();

    expect(running()).toEqual([`${BACKGROUND}1`, 'a1', 'a2']);
  });

  it('lets captures of a key at its limit wait in the queue, and serves others before them', async () => {
    const { queue, enqueue, end, running, refused } = queueWith({ size: 4, maxQueue: 4 });
    for (const name of ['k', 'k', 'k', 'l', 'l', 'l']) enqueue(name);
    await settled();

    expect(running()).toEqual(['k1', 'l1', 'l2']);
    expect(queue.count()).toEqual({ busy: 3, waiting: 3 });
    expect(queue.keysAtLimit()).toEqual(['k', 'l']);
    enqueue('k');
    await settled();
    expect(refused()).toEqual(['k4: Too many captures of this client are waiting']);

    enqueue('a');
    await settled();
    expect(running()).toContain('a1');
    end('k1');
    await settled();
    expect(running()).toContain('k2');
    expect(running()).not.toContain('k3');
  });

  it('gives background jobs the slots that captures of a key at its limit cannot use', async () => {
    const { enqueue, running, queue } = queueWith({ size: 4 });
    for (const name of ['k', 'k', BACKGROUND]) enqueue(name);
    await settled();

    expect(running()).toEqual(['k1', `${BACKGROUND}1`]);
    expect([queue.useFor(keyOf('k')), queue.useFor(keyOf('l')), queue.useFor(undefined)]).toEqual([false, true, true]);
  });
});

function clientOf(name: string): string {
  return name.replace(/\d+$/, '');
}

async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

interface Given {
  readonly size: number;
  readonly maxQueue?: number;
  readonly hasExtraSlot?: boolean;
  readonly now?: () => number;
}

/** The clients `k` and `l` are keys that run one and two captures at once. */
function keyOf(client: string): KeyLimit | undefined {
  const concurrency = { k: 1, l: 2 }[client];
  return concurrency === undefined ? undefined : { id: client, concurrency };
}

function queueWith({ size, maxQueue = 100, hasExtraSlot = false, now = () => 0 }: Given) {
  const free = Array.from({ length: size + (hasExtraSlot ? 1 : 0) }, (_, index) => index);
  const queue = new FairQueue<number>({
    size,
    maxQueue,
    hasExtraSlot,
    now,
    takeFree: () => {
      const slot = free.shift();
      if (slot === undefined) throw new Error('no slot is free');
      return slot;
    },
    putFree: (slot) => free.push(slot),
  });
  const slots = new Map<string, number>();
  const refused: string[] = [];
  const enqueued = new Map<string, number>();
  return {
    queue,
    enqueue: (client: string, signal = never, key = keyOf(client)): void => {
      const number = (enqueued.get(client) ?? 0) + 1;
      enqueued.set(client, number);
      const name = `${client}${number}`;
      queue.take(client, signal, key).then(
        (slot) => slots.set(name, slot),
        (error: unknown) => refused.push(`${name}: ${error instanceof Error ? error.message : ''}`),
      );
    },
    end: (name: string): void => {
      const slot = slots.get(name);
      if (slot === undefined) throw new Error(`${name} does not run`);
      slots.delete(name);
      queue.giveBack(clientOf(name), slot, keyOf(clientOf(name)));
    },
    running: () => [...slots.keys()],
    waiting: () => queue.count().waiting,
    refused: () => refused,
  };
}
