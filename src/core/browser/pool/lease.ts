import type { EgressRoute } from '../../egress/gate/dial.ts';
import type { GateSession } from '../../egress/gate/gate-session.ts';
import { ServiceError } from '../../ground/errors.ts';
import type { Logger } from '../../ground/log.ts';
import type { HostedPage } from '../host/hosted-browser.ts';
import type { Page } from '../page/page.ts';
import type { NetworkLoss } from '../process/helper-processes.ts';
import type { Slot } from './slot.ts';

/** A page for one capture, in a slot of the pool. */
export interface PageLease {
  readonly page: Page;
  /** Connections that the gate allowed and refused. */
  readonly gateSession: GateSession;
  /** True if the browser has lost its connections since the lease began: the page may be incomplete. */
  readonly isNetworkLost: NetworkLoss;
  /** Reports that the capture mostly waits for the browser from now on, so there is time to prepare other pages. */
  readonly prepareOthers: () => void;
  /** Closes all connections and the page, then gives the slot to the next in the queue. Returns at once. */
  readonly release: () => void;
}

interface OpenOptions {
  readonly destinations: EgressRoute;
  readonly signal: AbortSignal;
  readonly isRetry: boolean;
  readonly prepareOthers: () => void;
  /** Called once, when the page of the released lease is closed. */
  readonly onClosed: () => void;
  readonly log: Logger;
}

/** Opens a page in a slot, behind a new session of its gate. The caller releases the lease. */
export async function openLease(
  slot: Slot,
  { destinations, signal, isRetry, prepareOthers, onClosed, log }: OpenOptions,
): Promise<PageLease> {
  const budget = new AbortController();
  const gateSession = slot.gate().open(destinations, () => {
    budget.abort(
      new ServiceError('NavigationError', 'The page could not be loaded: it exceeds the limit of connections or bytes'),
    );
  });
  try {
    const page = await slot.takePage(signal, isRetry);
    page.endWith(signal);
    page.endWith(budget.signal);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      gateSession.close();
      void closePage(page, slot, log).then(onClosed);
    };
    return { page, gateSession, isNetworkLost: page.isNetworkLost, prepareOthers, release };
  } catch (error) {
    gateSession.close();
    throw error;
  }
}

async function closePage(page: HostedPage, slot: Slot, log: Logger): Promise<void> {
  try {
    await page.close();
    const gone = page.lateEnd();
    if (gone !== undefined) await slot.replaceGate(gone);
  } catch (error) {
    log.error({ err: error }, 'closing a page failed');
  }
}
