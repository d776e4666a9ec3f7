import { ServiceError } from '../../errors.ts';
import { reasonOf } from '../../timeouts.ts';

/** Longest time that clients without a pause can keep a slot from the background. */
const DUE_AFTER_MS = 30_000;

/** The client of work that nobody waits for: whoever else is here goes first, and it is refused nothing. How much it has at once is its own affair. */
export const BACKGROUND = 'background';

/** Who has a slot, who waits for one, and who is next. */
export interface FairQueue<Slot> {
  /**
   * A slot: at once, or in this client's turn. The caller gives it back.
   * @throws ServiceError OverloadedError when too many wait; the signal's reason when it fires.
   */
  readonly take: (client: string, signal: AbortSignal) => Promise<Slot>;
  /** Gives back a slot that this client has taken. */
  readonly giveBack: (client: string, slot: Slot) => void;
  /** Places that are taken, and captures that wait; without those of the background, which are not in anybody's way. */
  readonly count: () => { readonly busy: number; readonly waiting: number };
  /** Milliseconds since anybody but the background had or wanted a slot; 0 while somebody does. */
  readonly quietMs: () => number;
  /** True when the background has had no slot for so long that it takes part in the queue like a client, with one slot. */
  readonly isBackgroundDue: () => boolean;
  /** True while every slot is taken and the queue is full of clients that have no more waiting than others would. */
  readonly isFull: () => boolean;
  /** @throws ServiceError OverloadedError when `take` would, at this moment. */
  readonly refuseWhenFull: (client: string) => void;
}

interface QueueOptions<Slot> {
  /** Places in use at once. */
  readonly size: number;
  /** Whether there is one more, for the client that comes when another alone has them all. */
  readonly hasSpare: boolean;
  /** Captures that may wait, of all clients together. */
  readonly maxQueue: number;
  /** Takes one of the free slots; those that are not in use, and the spare one, are never fewer than this asks for. */
  readonly takeFree: () => Slot;
  readonly putFree: (slot: Slot) => void;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
}

interface Waiter<Slot> {
  readonly admit: (slot: Slot) => void;
  readonly refuse: (error: Error) => void;
}

interface Client<Slot> {
  readonly isBackground: boolean;
  running: number;
  /** When it was given a slot: the number of that turn, 0 for none since it came. */
  lastTurn: number;
  /** In the order of their arrival. */
  readonly waiting: Set<Waiter<Slot>>;
}

/**
 * A queue in which clients take turns, so that nobody waits for all that another has asked for:
 * - A free slot goes to the client with the fewest running; of equals, to the one that had its last turn longest ago.
 * - While several clients are here, the last free slot is for one that has none running.
 * - A client that was alone may have them all. Who comes then gets the spare slot at once, and the next that is given back makes up
 *   for it: captures may take a minute and more, and nothing that runs is broken off for another.
 * - One client may have half of the queue waiting. When clients have filled it together, one that has less waiting pushes
 *   out the newest of the one that has most.
 * - The background has a slot while nobody else waits, and while anybody else is here not the last one. After 30 s without a slot, or
 *   as long as its last one took, it is due: then it gets one in turn, like a client, whoever else waits.
 */
export function createFairQueue<Slot>(options: QueueOptions<Slot>): FairQueue<Slot> {
  const { size, hasSpare, maxQueue, takeFree, putFree, now = () => performance.now() } = options;
  const maxOfOne = Math.ceil(maxQueue / 2);
  const clients = new Map<string, Client<Slot>>(); // those with anything here, in the order in which they came
  let turns = 0;
  let quietSinceMs = Number.NEGATIVE_INFINITY;
  const background = { startedAtMs: 0, endedAtMs: now(), tookMs: 0 };
  const count = { busy: 0, waiting: 0 };

  const enter = (name: string): Client<Slot> => {
    const client = clients.get(name) ?? newClient(name);
    clients.set(name, client);
    return client;
  };
  const leaveIfDone = (name: string): void => {
    const client = clients.get(name);
    if (client?.running !== 0 || client.waiting.size > 0) return;
    clients.delete(name);
    if (!client.isBackground) quietSinceMs = now();
  };

  /** Clients that somebody waits for. */
  const others = (): number => clients.size - (clients.has(BACKGROUND) ? 1 : 0);

  const isBackgroundDue = (): boolean =>
    (clients.get(BACKGROUND)?.running ?? 0) === 0 &&
    now() - background.endedAtMs >= Math.max(DUE_AFTER_MS, background.tookMs);

  const mayTake = ({ running, isBackground }: Client<Slot>): boolean => {
    if (isBackground && !isBackgroundDue()) {
      return count.waiting === 0 && count.busy < size - (others() === 0 ? 0 : 1);
    }
    if (count.busy < size - 1) return true;
    if (count.busy === size - 1) return running === 0 || others() <= 1;
    return (
      hasSpare &&
      count.busy === size &&
      running === 0 &&
      clients.values().some((other) => other.running === size)
    );
  };

  const startFor = (client: Client<Slot>): Slot => {
    client.running++;
    client.lastTurn = ++turns;
    if (client.isBackground) background.startedAtMs = now();
    count.busy++;
    return takeFree();
  };

  /** To be called after every change that may let somebody in. */
  const serve = (): void => {
    for (;;) {
      const [next] = [...clients.values()]
        .filter((client) => client.waiting.size > 0 && mayTake(client))
        .toSorted((one, other) => one.running - other.running || one.lastTurn - other.lastTurn);
      const [waiter] = next?.waiting ?? [];
      if (next === undefined || waiter === undefined) return;
      waiter.admit(startFor(next));
    }
  };

  /** Of the one that has most waiting, the newest waiter; undefined when that has hardly more than who comes. */
  const toPushOut = (waitingOfComer: number): Waiter<Slot> | undefined => {
    const longest = [...clients.values()].reduce<ReadonlySet<Waiter<Slot>>>(
      (best, { waiting, isBackground }) => (!isBackground && waiting.size > best.size ? waiting : best),
      new Set(),
    );
    return longest.size > waitingOfComer + 1 ? [...longest].at(-1) : undefined;
  };

  const whyRefused = (client: Client<Slot>): ServiceError | undefined => {
    const { waiting, isBackground } = client;
    if (isBackground || mayTake(client)) return undefined;
    const isQueueFull = count.waiting >= maxQueue;
    if (!isQueueFull && waiting.size < maxOfOne) return undefined;
    if (isQueueFull && toPushOut(waiting.size) !== undefined) return undefined;
    return tooMany(isQueueFull ? '' : ' of this client');
  };

  const wait = (name: string, client: Client<Slot>, signal: AbortSignal): Promise<Slot> => {
    const { isBackground } = client;
    if (!isBackground && count.waiting >= maxQueue) {
      toPushOut(client.waiting.size)?.refuse(tooMany(' of this client'));
    }
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        client.waiting.delete(waiter);
        if (!isBackground) count.waiting--;
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter<Slot> = {
        admit: (slot) => {
          stopWaiting();
          resolve(slot);
        },
        refuse: (error) => {
          stopWaiting();
          reject(error);
          leaveIfDone(name);
          serve(); // who is left may be alone now
        },
      };
      const onAbort = (): void => {
        waiter.refuse(reasonOf(signal));
      };
      client.waiting.add(waiter);
      if (!isBackground) count.waiting++;
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  return {
    take: async (name, signal) => {
      if (signal.aborted) throw reasonOf(signal);
      const refusal = whyRefused(clients.get(name) ?? newClient(name));
      if (refusal !== undefined) throw refusal;
      const client = enter(name);
      return mayTake(client) ? startFor(client) : await wait(name, client, signal);
    },
    giveBack: (name, slot) => {
      const client = enter(name);
      client.running--;
      if (client.isBackground) {
        background.endedAtMs = now();
        background.tookMs = background.endedAtMs - background.startedAtMs;
      }
      count.busy--;
      putFree(slot);
      leaveIfDone(name);
      serve();
    },
    count: () => ({ ...count }),
    quietMs: () => (others() > 0 ? 0 : now() - quietSinceMs),
    isBackgroundDue,
    isFull: () => count.busy >= size && count.waiting >= maxQueue && toPushOut(0) === undefined,
    refuseWhenFull: (name) => {
      const refusal = whyRefused(clients.get(name) ?? newClient(name));
      if (refusal !== undefined) throw refusal;
    },
  };
}

function newClient<Slot>(name: string): Client<Slot> {
  return { isBackground: name === BACKGROUND, running: 0, lastTurn: 0, waiting: new Set() };
}

function tooMany(whose: string): ServiceError {
  return new ServiceError('OverloadedError', `Too many captures${whose} are waiting`, {
    retryAfterSeconds: 1,
  });
}
