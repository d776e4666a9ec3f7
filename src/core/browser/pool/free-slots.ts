import type { Slot } from './slot.ts';

const REST_MS = 100;

/** The free slots of the pool. Prepares pages in them while the pool has nothing else to do. */
export class FreeSlots {
  readonly #slots: Slot[];
  /** Returns how many free slots should have a prepared page. */
  readonly #prepared: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(slots: readonly Slot[], prepared: () => number) {
    this.#slots = [...slots];
    this.#prepared = prepared;
  }

  /** Takes a free slot, with a prepared page if there is one. */
  take(): Slot {
    const index = this.#slots.findIndex((slot) => slot.hasWarmPage());
    const [slot] = this.#slots.splice(Math.max(index, 0), 1);
    if (slot === undefined) throw new Error('more slots are in use than exist');
    return slot;
  }

  put(slot: Slot): void {
    this.#slots.push(slot);
  }

  /** Prepares pages now. */
  warm(): void {
    for (const slot of this.#slots.slice(0, this.#prepared())) slot.warm();
  }

  /** Prepares pages after a short time. The next capture may come in a moment, and both would slow each other down. */
  warmSoon(): void {
    this.cancelWarm();
    this.#timer = setTimeout(() => this.warm(), REST_MS).unref();
  }

  cancelWarm(): void {
    clearTimeout(this.#timer);
  }

  /** Replaces the prepared pages of a browser that has been replaced. */
  renew(): void {
    for (const slot of this.#slots) slot.dropStalePage();
    this.warm();
  }
}
