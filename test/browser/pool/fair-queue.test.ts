import { describe, expect, it } from 'vitest';
import { BACKGROUND, createFairQueue } from '../../../src/browser/pool/fair-queue.ts';

const never = new AbortController().signal;

describe('createFairQueue', () => {
  it('gives a single client every slot, first come, first served', async () => {
    const { ask, end, running } = queueWith({ size: 3 });

    for (let count = 0; count < 6; count++) ask('a');
    await settled();
    expect(running()).toEqual(['a1', 'a2', 'a3']);
    end('a2');
    await settled();

    expect(running()).toEqual(['a1', 'a3', 'a4']);
  });

  it('alternates between clients, however many captures one has queued', async () => {
    const { ask, end, running } = queueWith({ size: 1 });
    for (let count = 0; count < 4; count++) ask('a');
    for (const name of ['b', 'c', 'b']) ask(name);
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
    const { ask, end, running } = queueWith({ size: 5 });
    for (let count = 0; count < 8; count++) ask('a');
    for (let count = 0; count < 4; count++) ask('b');
    await settled();

    for (const name of ['a1', 'a2', 'a3']) {
      end(name);
      await settled();
    }

    expect(running().map(clientOf).toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('reserves the last free slot for a client without a running capture while several are active', async () => {
    const { ask, end, running, waiting } = queueWith({ size: 3 });
    for (const name of ['a', 'b', 'a', 'b']) ask(name);
    await settled();
    expect(running()).toEqual(['a1', 'b1']);
    expect(waiting()).toBe(2);

    ask('c');
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
    const { ask, end, running } = queueWith({ size: 2 });
    const gone = new AbortController();
    for (const name of ['a', 'a', 'a']) ask(name);
    ask('b', gone.signal);
    ask('b', gone.signal);
    await settled();
    end('a1');
    await settled();
    expect(running()).toEqual(['a2', 'b1']);
    end('b1');
    await settled();
    expect(running()).toEqual(['a2', 'b2']);
    end('b2');
    gone.abort(new Error('gone'));
    await settled();

    expect(running()).toEqual(['a2', 'a3']);
  });

  it('adds a spare slot for a new client when another holds all slots, and removes it afterwards', async () => {
    const { ask, end, running } = queueWith({ size: 2, hasSpare: true });
    for (let count = 0; count < 4; count++) ask('a');
    await settled();
    expect(running()).toEqual(['a1', 'a2']);

    ask('b');
    ask('b');
    ask('c');
    await settled();
    expect(running()).toEqual(['a1', 'a2', 'b1']);
    end('a1');
    await settled();

    expect(running()).toEqual(['a2', 'b1']); // this end frees the spare slot, not a new one
    end('a2');
    await settled();
    expect(running()).toEqual(['b1', 'c1']);
  });

  it('limits one client to half of the queue, and leaves the rest to others', async () => {
    const { ask, refused, waiting } = queueWith({ size: 1, maxQueue: 4 });
    for (let count = 0; count < 5; count++) ask('a');
    await settled();
    expect([waiting(), refused()]).toEqual([
      2,
      [
        'a4: Too many captures of this client are waiting',
        'a5: Too many captures of this client are waiting',
      ],
    ]);

    ask('b');
    ask('c');
    await settled();

    expect(waiting()).toBe(4);
    expect(refused()).toHaveLength(2);
  });

  it('removes the newest capture of the client with the most when several clients fill the queue', async () => {
    const { ask, refused, queue } = queueWith({ size: 1, maxQueue: 4 });
    for (const name of ['a', 'a', 'a', 'b', 'b']) ask(name);
    await settled();
    expect(queue.isFull()).toBe(false);
    expect(() => queue.refuseWhenFull('b')).toThrow('Too many captures are waiting');

    for (const name of ['c', 'd', 'e']) ask(name);
    await settled();

    expect(refused().toSorted()).toEqual([
      'a3: Too many captures of this client are waiting',
      'b2: Too many captures of this client are waiting',
      'e1: Too many captures are waiting',
    ]);
    expect(queue.isFull()).toBe(true);
  });

  it('keeps no state for absent clients', async () => {
    const { ask, end, running } = queueWith({ size: 2 });
    ask('a');
    await settled();
    end('a1');
    ask('b');
    ask('b');
    await settled();

    expect(running()).toEqual(['b1', 'b2']);
  });

  it('gives the background free slots, but not the last one while a client is active', async () => {
    const { ask, running } = queueWith({ size: 3 });
    for (let count = 0; count < 3; count++) ask(BACKGROUND);
    await settled();
    expect(running()).toEqual([`${BACKGROUND}1`, `${BACKGROUND}2`, `${BACKGROUND}3`]);

    const { ask: askOther, running: runningThere, end } = queueWith({ size: 3 });
    for (const name of ['a', BACKGROUND, BACKGROUND]) askOther(name);
    await settled();
    expect(runningThere()).toEqual(['a1', `${BACKGROUND}1`]);
    end('a1');
    await settled();
    expect(runningThere()).toEqual([`${BACKGROUND}1`, `${BACKGROUND}2`]);
  });

  it('serves clients before the background', async () => {
    const { ask, end, running } = queueWith({ size: 1 });
    for (const name of [BACKGROUND, BACKGROUND, 'a', 'b', 'a']) ask(name);
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

  it('neither refuses the background nor refuses clients because of it', async () => {
    const { ask, refused, waiting, running, queue } = queueWith({ size: 2, maxQueue: 1 });
    for (let count = 0; count < 5; count++) ask(BACKGROUND);
    await settled();

    expect([refused(), waiting(), queue.isFull()]).toEqual([[], 0, false]);
    ask('a');
    await settled();
    expect([refused(), waiting(), running().length]).toEqual([[], 1, 2]);
  });

  it('reports how long no client was active', async () => {
    let nowMs = 0;
    const { ask, end, queue } = queueWith({ size: 2, now: () => nowMs });
    ask(BACKGROUND);
    await settled();
    expect(queue.quietMs()).toBe(Infinity);
    ask('a');
    await settled();
    nowMs = 10;
    expect(queue.quietMs()).toBe(0);
    end('a1');
    nowMs = 25;

    expect(queue.quietMs()).toBe(15);
  });

  it.each([
    { size: 1, hasSpare: false },
    { size: 1, hasSpare: true },
    { size: 2, hasSpare: true },
    { size: 3, hasSpare: false },
  ])('gives the background one slot after half a minute without a gap: %j', async (slots) => {
    let nowMs = 0;
    const { ask, end, running, queue } = queueWith({ ...slots, now: () => nowMs });
    const clients = ['a', 'b', 'c', 'd'];
    for (const name of [...clients, ...clients]) ask(name);
    for (let count = 0; count < 2; count++) ask(BACKGROUND);
    await settled();
    const served: string[] = [];
    /** Ends the oldest capture; its client requests the next one at once. */
    const goOn = async (): Promise<void> => {
      const oldest = running().find((name) => clientOf(name) !== BACKGROUND) ?? '';
      end(oldest);
      ask(clientOf(oldest));
      await settled();
      served.push(...running().filter((name) => clientOf(name) === BACKGROUND));
    };

    while (nowMs < 29_000) {
      nowMs += 1_000;
      await goOn();
    }
    expect([served, queue.isBackgroundDue()]).toEqual([[], false]);
    nowMs = 30_000;
    expect(queue.isBackgroundDue()).toBe(true);
    for (let turn = 0; turn < clients.length && served.length === 0; turn++) await goOn();

    expect(new Set(served)).toEqual(new Set([`${BACKGROUND}1`])); // and no second one next to it
  });

  it('delays the next slot of the background for as long as its last one took', async () => {
    let nowMs = 30_000;
    const { ask, end, running, queue } = queueWith({ size: 1, now: () => nowMs });
    nowMs = 60_000;
    for (const name of ['a', BACKGROUND, 'a', 'a']) ask(name);
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

  it('gives a single client every slot that the background leaves free', async () => {
    const { ask, running } = queueWith({ size: 3 });
    for (const name of [BACKGROUND, 'a', 'a', 'a']) ask(name);
    await settled();

    expect(running()).toEqual([`${BACKGROUND}1`, 'a1', 'a2']);
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
  readonly hasSpare?: boolean;
  readonly now?: () => number;
}

function queueWith({ size, maxQueue = 100, hasSpare = false, now = () => 0 }: Given) {
  const free = Array.from({ length: size + (hasSpare ? 1 : 0) }, (_, index) => index);
  const queue = createFairQueue<number>({
    size,
    maxQueue,
    hasSpare,
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
  const asked = new Map<string, number>();
  return {
    queue,
    ask: (client: string, signal = never): void => {
      const number = (asked.get(client) ?? 0) + 1;
      asked.set(client, number);
      const name = `${client}${number}`;
      queue.take(client, signal).then(
        (slot) => slots.set(name, slot),
        (error: unknown) => refused.push(`${name}: ${error instanceof Error ? error.message : ''}`),
      );
    },
    end: (name: string): void => {
      const slot = slots.get(name);
      if (slot === undefined) throw new Error(`${name} does not run`);
      slots.delete(name);
      queue.giveBack(clientOf(name), slot);
    },
    running: () => [...slots.keys()],
    waiting: () => queue.count().waiting,
    refused: () => refused,
  };
}
