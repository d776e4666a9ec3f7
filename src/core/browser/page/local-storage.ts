import type { CDPSession } from 'puppeteer';
import { raceAbort } from '../../ground/timeouts.ts';

/** Local storage of an origin. */
interface OriginItems {
  readonly origin: string;
  readonly localStorage: readonly { readonly name: string; readonly value: string }[];
}

/** Local storage of any origin in the browser context of a page. No code of the page takes part. */
export interface LocalStorage {
  /** Returns the items of each origin that had a document in the page, or whose items were written. */
  readonly read: () => Promise<readonly OriginItems[]>;
  /** Stores items. Returns the origins that did not take all of them. */
  readonly write: (origins: readonly OriginItems[]) => Promise<readonly string[]>;
}

/** Origins of a page whose storage is read: each costs a navigation. */
const MAX_ORIGINS = 100;
const ITEMS =
  'Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index)).map((name) => ({ name, value: localStorage.getItem(name) }))';
/** Keeps the items as base64, and returns its length: the protocol writes `é` as six bytes, and answers are limited. */
const KEEP = `{
  const bytes = new TextEncoder().encode(JSON.stringify(${ITEMS}));
  self.captured = '';
  for (let at = 0; at < bytes.length; at += 30_000)
    self.captured += btoa(String.fromCharCode(...bytes.subarray(at, at + 30_000)));
  self.captured.length;
}`;
/** Characters that are read at once. */
const PIECE = 2_000_000;

interface Surroundings {
  /** Session of the page. */
  readonly session: CDPSession;
  /** Sessions of its frames in other processes. */
  readonly frames: () => readonly CDPSession[];
  /** Opens a blank tab in the context of the page, and attaches to it. */
  readonly openTab: () => Promise<CDPSession>;
  readonly signal: AbortSignal;
}

/**
 * Reads and writes in a tab of its own, because the protocol reaches the storage of open documents only. Its documents
 * are empty: every request is answered here, and none leaves the browser.
 */
export function createLocalStorage({ session, frames, openTab, signal }: Surroundings): LocalStorage {
  const origins = new Set<string>();
  const note = (origin: string): void => {
    if (/^https?:/.test(origin) && origins.size < MAX_ORIGINS) origins.add(origin);
  };
  session.on('Page.frameNavigated', ({ frame }) => note(frame.securityOrigin));

  const inTab = async <T>(work: (tab: CDPSession) => Promise<T>): Promise<T> => {
    const tab = await openTab();
    try {
      tab.on('Fetch.requestPaused', ({ requestId }) => {
        const empty = { requestId, responseCode: 200, responseHeaders: [{ name: 'Content-Type', value: 'text/html' }] };
        void tab.send('Fetch.fulfillRequest', { ...empty, body: '' }).catch(() => undefined); // the tab was closed
      });
      await Promise.all([
        tab.send('Page.enable'),
        tab.send('Network.enable'),
        tab.send('Network.setBypassServiceWorker', { bypass: true }),
        tab.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      ]);
      return await work(tab);
    } finally {
      await tab.send('Page.close').catch(() => undefined); // it ends with its context at the latest
    }
  };

  return {
    read: () =>
      raceAbort(
        inTab(async (tab) => {
          for (const frame of frames()) {
            const tree = await frame.send('Page.getFrameTree').catch(() => undefined); // the frame has gone
            if (tree !== undefined) note(tree.frameTree.frame.securityOrigin);
          }
          const found: OriginItems[] = [];
          for (const origin of origins) {
            const items = await readItems(tab, origin);
            if (items.length > 0) found.push({ origin, localStorage: items });
          }
          return found;
        }),
        signal,
      ),
    write: (given) =>
      raceAbort(
        inTab(async (tab) => {
          const refused: string[] = [];
          for (const { origin, localStorage: items } of given) {
            note(origin);
            const store = `${JSON.stringify(items)}.every(({ name, value }) => (localStorage.setItem(name, value), true))`;
            if (!(await openAt(tab, origin)) || (await evaluate(tab, store)) !== true) refused.push(origin);
          }
          return refused;
        }),
        signal,
      ),
  };
}

async function readItems(tab: CDPSession, origin: string): Promise<OriginItems['localStorage']> {
  if (!(await openAt(tab, origin))) return [];
  const length = Number(await evaluate(tab, KEEP));
  const pieces: string[] = [];
  for (let at = 0; at < length; at += PIECE)
    pieces.push(String(await evaluate(tab, `self.captured.slice(${at}, ${at + PIECE})`)));
  return pieces.length === 0 ? [] : JSON.parse(Buffer.from(pieces.join(''), 'base64').toString('utf8'));
}

/** Opens an empty document of the origin. False if that fails. */
async function openAt(tab: CDPSession, origin: string): Promise<boolean> {
  const { errorText } = await tab.send('Page.navigate', { url: `${origin}/` });
  return errorText === undefined && (await evaluate(tab, 'self.origin')) === origin;
}

/** Returns the value of an expression. Undefined if it throws. */
async function evaluate(tab: CDPSession, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await tab.send('Runtime.evaluate', { expression, returnByValue: true });
  return exceptionDetails === undefined ? result.value : undefined;
}
