import type { Gate } from '../../egress/gate/gate.ts';
import type { Logger } from '../../ground/log.ts';
import { raceAbort } from '../../ground/timeouts.ts';
import type { BrowserHost } from '../host/browser-host.ts';
import type { HostedPage } from '../host/hosted-browser.ts';

/** A slot in the pool: a gate, and possibly a prepared page behind it. */
export interface Slot {
  readonly gate: () => Gate;
  /**
   * Gives the slot a new gate, so that a page that could not be closed has no way into the next capture. The old gate
   * refuses its connections until `gone` resolves.
   */
  readonly replaceGate: (gone: Promise<void>) => Promise<void>;
  readonly hasWarmPage: () => boolean;
  /** Returns the prepared page, or opens one if there is none, if it is stale, or for a retry. The caller closes it. */
  readonly takePage: (signal: AbortSignal, isRetry: boolean) => Promise<HostedPage>;
  /** Prepares a page in the background, unless there is one. */
  readonly warm: () => void;
  /** Closes a prepared page whose browser has been replaced. */
  readonly dropStalePage: () => void;
}

interface SlotOptions {
  readonly gate: Gate;
  readonly createGate: () => Promise<Gate>;
  readonly host: BrowserHost;
  readonly log: Logger;
}

const UNTIL_TAKEN = new AbortController().signal; // preparing a page has no deadline

export function createSlot({ gate: firstGate, createGate, host, log }: SlotOptions): Slot {
  let gate = firstGate;
  let warmPage: Promise<HostedPage | undefined> | undefined;

  const discard = (page: HostedPage): void => {
    page.close().catch((error: unknown) => {
      log.debug({ err: error }, 'closing an unused page failed');
    });
  };

  const makeAhead = async (): Promise<HostedPage | undefined> => {
    try {
      return await host.openPage(gate, UNTIL_TAKEN);
    } catch (error) {
      log.debug({ err: error }, 'could not prepare a page'); // the capture that needs a page will report the reason
      return undefined;
    }
  };

  const takeWarm = async (signal: AbortSignal): Promise<HostedPage | undefined> => {
    const taken = warmPage;
    warmPage = undefined;
    const page = taken && (await raceAbort(taken, signal, (late) => late && discard(late)));
    if (page === undefined) return undefined;
    if (page.isCurrent() && !page.signal.aborted && !page.isNetworkLost('done')) return page;
    discard(page);
    return undefined;
  };

  return {
    gate: () => gate,
    replaceGate: async (gone) => {
      const left = gate;
      try {
        gate = await createGate();
      } catch (error) {
        log.error({ err: error }, 'no new gate: the slot waits for the end of a browser');
        await gone;
        return;
      }
      void gone.then(() => left.close());
    },
    hasWarmPage: () => warmPage !== undefined,
    takePage: async (signal, isRetry) => {
      // A page that is being prepared while no browser can be started stays pending.
      const mayTakeWarm = !isRetry && host.state().state === 'running';
      const page =
        (mayTakeWarm ? await takeWarm(signal) : undefined) ??
        (await raceAbort(host.openPage(gate, signal), signal, discard));
      page.begin();
      return page;
    },
    warm: () => {
      warmPage ??= makeAhead();
    },
    dropStalePage: () => {
      const stale = warmPage;
      warmPage = undefined;
      void stale?.then((page) => {
        if (page !== undefined) discard(page);
      });
    },
  };
}
