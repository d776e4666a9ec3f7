import { ServiceError } from '../ground/errors.ts';
import { abortReason } from '../ground/timeouts.ts';
import {
  BACKGROUND,
  BackgroundUse,
  type Client,
  type KeyLimit,
  KeyUse,
  newClient,
  nextInLine,
  type Waiter,
  waiterToEvict,
} from './fair-share.ts';

interface QueueOptions<Slot> {
  /** Number of slots in use at once. */
  readonly size: number;
  /** True if there is one slot more, for a client that arrives while another client has all slots. */
  readonly hasExtraSlot: boolean;
  /** Captures that may wait, of all clients together. */
  readonly maxQueue: number;
  /** Takes one of the free slots. There is always one when this is called. */
  readonly takeFree: () => Slot;
  readonly putFree: (slot: Slot) => void;
  /** Name of what waits, for errors. Default: captures. */
  readonly waitingName?: string;
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

interface Waiting<Slot> {
  readonly name: string;
  readonly client: Client<Slot>;
  readonly key: KeyLimit | undefined;
  readonly signal: AbortSignal;
}

/**
 * A queue that shares the slots fairly between clients:
 * - A free slot goes to the client with the fewest running captures. Among equals, to the one admitted longest ago.
 * - While several clients are present, the last free slot is for a client without a running capture.
 * - A client that is alone may have all slots. The next client then gets the extra slot at once, and the next released
 *   slot makes up for it. Captures can take over a minute, and none is interrupted for another client.
 * - One client may fill half of the queue. When several clients have filled it, a client with fewer waiters evicts the
 *   newest waiter of the client with the most.
 * - The background gets a slot while no client waits, but not the last one while a client is present. It is due after
 *   30 s without a slot, or after the time that its last capture took. Once due, it gets one slot as a client would.
 * - A capture of a key at its limit waits, and others go before it.
 */
export class FairQueue<Slot> {
  readonly #options: QueueOptions<Slot>;
  readonly #now: () => number;
  readonly #clients = new Map<string, Client<Slot>>(); // clients with captures that run or wait, in order of arrival
  readonly #background: BackgroundUse;
  readonly #keys = new KeyUse();
  #admissions = 0;
  #quietSinceMs = Number.NEGATIVE_INFINITY;
  #busy = 0;
  #waiting = 0;

  constructor(options: QueueOptions<Slot>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#background = new BackgroundUse(this.#now);
  }

  /**
   * Returns a slot, at once or when this client is next. The caller returns it with `giveBack`.
   * @throws ServiceError OverloadedError if too many captures wait; the signal's reason when it aborts
   */
  async take(name: string, signal: AbortSignal, key?: KeyLimit): Promise<Slot> {
    if (signal.aborted) throw abortReason(signal);
    this.refuseWhenFull(name, key);
    const client = this.#enter(name);
    return this.#mayTake(client, key) ? this.#admit(client, key) : await this.#wait({ name, client, key, signal });
  }

  /** Counts a capture of the key in a slot that was taken without a key. False if the key is at its limit. */
  useFor(key: KeyLimit | undefined): boolean {
    if (this.#keys.isFull(key)) return false;
    this.#keys.begin(key);
    return true;
  }

  /** Ids of the keys that are at their limit. */
  keysAtLimit(): readonly string[] {
    return this.#keys.full();
  }

  /** Returns a slot that this client has taken. */
  giveBack(name: string, slot: Slot, key?: KeyLimit): void {
    const client = this.#enter(name);
    client.running--;
    this.#keys.end(key);
    if (client.isBackground) this.#background.end();
    this.#busy--;
    this.#options.putFree(slot);
    this.#leaveIfDone(name);
    this.#serve();
  }

  /** Returns the number of slots in use, and of waiting captures. Waiting captures of the background don't count. */
  count(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.#busy, waiting: this.#waiting };
  }

  /** Milliseconds since a client last had or requested a slot; 0 while one does. The background doesn't count. */
  quietMs(): number {
    return this.#countClients() > 0 ? 0 : this.#now() - this.#quietSinceMs;
  }

  /** True if the background has had no slot for so long that it now gets one like a client. */
  isBackgroundDue(): boolean {
    return (this.#clients.get(BACKGROUND)?.running ?? 0) === 0 && this.#background.isDue();
  }

  /** True if all slots are taken, and the queue is full of clients with no more waiters than others would have. */
  isFull(): boolean {
    const { size, maxQueue } = this.#options;
    const isEvictable = waiterToEvict(this.#clients.values(), 0) !== undefined;
    return this.#busy >= size && this.#waiting >= maxQueue && !isEvictable;
  }

  /** @throws ServiceError OverloadedError if `take` would refuse the client now */
  refuseWhenFull(name: string, key?: KeyLimit): void {
    const client = this.#clients.get(name) ?? newClient(name);
    const { waiting, isBackground } = client;
    if (isBackground || this.#mayTake(client, key)) return;
    const { maxQueue } = this.#options;
    const isQueueFull = this.#waiting >= maxQueue;
    if (!isQueueFull && waiting.size < Math.ceil(maxQueue / 2)) return;
    if (isQueueFull && waiterToEvict(this.#clients.values(), waiting.size) !== undefined) return;
    throw this.#tooMany(isQueueFull ? '' : ' of this client');
  }

  #enter(name: string): Client<Slot> {
    const client = this.#clients.get(name) ?? newClient(name);
    this.#clients.set(name, client);
    return client;
  }

  #leaveIfDone(name: string): void {
    const client = this.#clients.get(name);
    if (client?.running !== 0 || client.waiting.size > 0) return;
    this.#clients.delete(name);
    if (!client.isBackground) this.#quietSinceMs = this.#now();
  }

  #countClients(): number {
    return this.#clients.size - (this.#clients.has(BACKGROUND) ? 1 : 0);
  }

  #mayTake({ running, isBackground }: Client<Slot>, key: KeyLimit | undefined): boolean {
    const { size, hasExtraSlot } = this.#options;
    if (this.#keys.isFull(key)) return false;
    if (isBackground && !this.isBackgroundDue()) {
      return !this.#isClientNext() && this.#busy < size - (this.#countClients() === 0 ? 0 : 1);
    }
    if (this.#busy < size - 1) return true;
    if (this.#busy === size - 1) return running === 0 || this.#countClients() <= 1;
    const oneHasAll = this.#clients.values().some((other) => other.running === size);
    return hasExtraSlot && this.#busy === size && running === 0 && oneHasAll;
  }

  /** True if a client waits that a free slot would serve. */
  #isClientNext(): boolean {
    if (this.#waiting === 0) return false;
    return this.#clients.values().some((client) => !client.isBackground && this.#firstOf(client) !== undefined);
  }

  /** The oldest waiter whose key is not at its limit. */
  #firstOf({ waiting }: Client<Slot>): Waiter<Slot> | undefined {
    return waiting.values().find(({ key }) => !this.#keys.isFull(key));
  }

  #admit(client: Client<Slot>, key: KeyLimit | undefined): Slot {
    client.running++;
    this.#keys.begin(key);
    client.lastAdmission = ++this.#admissions;
    if (client.isBackground) this.#background.begin();
    this.#busy++;
    return this.#options.takeFree();
  }

  /** Admits all waiters that may have a slot. Call it after every change that can allow one. */
  #serve(): void {
    for (;;) {
      const next = nextInLine(
        [...this.#clients.values()].filter((client) => {
          const first = this.#firstOf(client);
          return first !== undefined && this.#mayTake(client, first.key);
        }),
      );
      const waiter = next && this.#firstOf(next);
      if (next === undefined || waiter === undefined) return;
      waiter.admit(this.#admit(next, waiter.key));
    }
  }

  #wait({ name, client, key, signal }: Waiting<Slot>): Promise<Slot> {
    const counted = client.isBackground ? 0 : 1;
    if (!client.isBackground && this.#waiting >= this.#options.maxQueue) {
      waiterToEvict(this.#clients.values(), client.waiting.size)?.refuse(this.#tooMany(' of this client'));
    }
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        client.waiting.delete(waiter);
        this.#waiting -= counted;
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter<Slot> = {
        key,
        admit: (slot) => {
          stopWaiting();
          resolve(slot);
        },
        refuse: (error) => {
          stopWaiting();
          reject(error);
          this.#leaveIfDone(name);
          this.#serve(); // the remaining client may be alone now
        },
      };
      const onAbort = (): void => waiter.refuse(abortReason(signal));
      client.waiting.add(waiter);
      this.#waiting += counted;
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #tooMany(whose: string): ServiceError {
    const { waitingName = 'captures' } = this.#options;
    return new ServiceError('OverloadedError', `Too many ${waitingName}${whose} are waiting`, {
      retryAfterSeconds: 1,
    });
  }
}
