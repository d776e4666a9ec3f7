import type { Gate } from '../../egress/gate/gate.ts';
import type { Logger } from '../../log.ts';
import { raceAbort } from '../../timeouts.ts';
import type { BrowserHost, HostedPage } from '../host/browser-host.ts';

/** A slot in the pool: a gate, and possibly a prepared page behind it. */
export interface Slot {
  readonly gate: Gate;
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
  readonly host: BrowserHost;
  readonly log: Logger;
}

const UNTIL_TAKEN = new AbortController().signal; // preparing a page has no deadline

export function createSlot({ gate, host, log }: SlotOptions): Slot {
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
    gate,
    hasWarmPage: () => warmPage !== undefined,
    takePage: async (signal, isRetry) => {
      const page =
        (isRetry ? undefined : await takeWarm(signal)) ??
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
