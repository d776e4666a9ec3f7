import type { MainDocument, NavigationFailure } from '../browser/page/main-frame.ts';
import type { Page } from '../browser/page/page.ts';
import type { ServiceError } from '../ground/errors.ts';
import { raceAbort } from '../ground/timeouts.ts';
import { writeDocument } from '../steps/in-page/write-document.ts';
import { delay } from '../steps/common/waiting.ts';
import { LIMIT_MS } from '../ground/time-limits.ts';
import { type LoadLimits, withLoadLimit } from './load-limit.ts';

interface Bounds extends LoadLimits {
  /** Returns the client's error for a page that failed to load. */
  readonly explain: (failure: NavigationFailure) => ServiceError;
}

/** What a page navigates to. */
export interface Source {
  readonly url?: string | undefined;
  readonly html_content?: string | undefined;
}

/**
 * Navigates to the URL, or writes the markup into the blank page, and waits for the `load` event, but not for
 * sub-resources that never arrive. `core/browser/page/main-frame.ts` follows redirects and limits the navigations that
 * the page starts itself.
 * @throws ServiceError NavigationError if the page can't be loaded; TimeoutError after `waitMs`
 */
export async function navigate(page: Page, source: Source, bounds: Bounds): Promise<void> {
  const loading = begin(page, source, bounds).then(() => untilLoaded(page, bounds));
  await withLoadLimit(page, bounds, loading);
}

/**
 * Waits while the page redirects itself by script or meta tag, until the `load` event of the last document. Costs
 * nothing otherwise. A step may have ended after the next document arrived, and before its `load`.
 * @throws like `navigate`
 */
export async function settle(page: Page, bounds: Bounds): Promise<void> {
  const { current, isLeaving, isRestless } = page.mainFrame;
  const document = current();
  const isThere = isRestless() || document?.isLoaded() !== false;
  if (!isLeaving() && document?.failure === undefined && isThere) return;
  await withLoadLimit(page, bounds, untilLoaded(page, bounds));
}

async function begin(page: Page, { url, html_content: markup }: Source, { explain }: Bounds): Promise<void> {
  const committed = page.mainFrame.next();
  if (url === undefined) {
    await page.evaluate(writeDocument, markup ?? '');
  } else {
    const { errorText, loaderId } = await page.send('Page.navigate', { url });
    if (errorText !== undefined && errorText !== '') {
      // Chrome reports this for downloads and for crashed renderers. In the second case the crash event follows and
      // ends the wait.
      if (errorText === 'net::ERR_ABORTED') await delay(page, LIMIT_MS.crashNews);
      const { lastAnswer, lastRequested } = page.mainFrame;
      throw explain({ errorText, url: lastRequested() ?? url, answer: lastAnswer() });
    }
    if (loaderId === undefined) return; // navigation within the same document
  }
  await raceAbort(committed, page.signal);
}

async function untilLoaded(page: Page, { explain }: Bounds): Promise<void> {
  const { mainFrame, signal } = page;
  for (;;) {
    const document = mainFrame.current();
    if (document?.failure !== undefined) throw explain(document.failure);
    // A document that is replaced while it loads never fires `load`.
    await raceAbort(Promise.race([loaded(document), mainFrame.next()]), signal);
    if (mainFrame.current()?.failure !== undefined) continue;
    if (mainFrame.current() === document && !mainFrame.isLeaving()) return;
    if (mainFrame.current() === document) await raceAbort(Promise.race([mainFrame.next(), mainFrame.stays()]), signal);
  }
}

function loaded(document: MainDocument | undefined): Promise<void> {
  return document === undefined ? new Promise(() => undefined) : document.loaded;
}
