import { ConnectionClosedError } from 'puppeteer';

/** The browser, or the tab, went away under a capture through no fault of the request: worth one more try. */
export class BrowserGoneError extends Error {
  override readonly name = 'BrowserGoneError';
}

/** The renderer of the captured page died: worth one more try, and the page's own fault when it dies again. */
export class RendererCrashedError extends Error {
  override readonly name = 'RendererCrashedError';
}

/** The process that makes the browser's connections died: what the page loaded may be half of it. Worth one more try. */
export class NetworkLostError extends Error {
  override readonly name = 'NetworkLostError';
}

/** A script of the page waits, without end, for its stopped clock to go on: worth another try in which that is never stopped. */
export class PageStuckError extends Error {
  override readonly name = 'PageStuckError';
}

/** Why Chrome printed nothing, where that is for the request to change: it says so when the page is laid out. */
export type PrintRefusal = 'past the last page' | 'no room';

/** What an error of Page.printToPDF says; undefined for any other. */
export function printRefusalOf(error: unknown): PrintRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message.includes('Page range exceeds page count')) return 'past the last page';
  return error.message.includes('content area is empty') ? 'no room' : undefined;
}

/** The renderer of the page died, or was ended, while it printed: a long document takes gigabytes, its tags some more. */
export class PrintingLostError extends Error {
  override readonly name = 'PrintingLostError';
}

/** A renderer that dies while it prints: this is told before its end is. */
export function isPrintingLost(error: unknown): boolean {
  if (error instanceof RendererCrashedError) return true;
  return error instanceof Error && error.message.includes('Printing failed');
}

/** The process that paints died under a picture: Chrome starts another, and says no more than this. */
export function isPaintingLost(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Unable to capture screenshot');
}

/** True when another try on a new page, or a new browser, may succeed. */
export function isWorthAnotherTry(error: unknown): boolean {
  return (
    error instanceof BrowserGoneError ||
    error instanceof RendererCrashedError ||
    error instanceof NetworkLostError ||
    error instanceof PageStuckError ||
    error instanceof PrintingLostError ||
    error instanceof ConnectionClosedError ||
    isPaintingLost(error) ||
    // Puppeteer keeps the class to itself; its name is what tells a closed target from other protocol errors.
    (error instanceof Error && error.name === 'TargetCloseError')
  );
}

/** The document was replaced while it was rendered: Chrome may never answer for it. */
export class DocumentReplacedError extends Error {
  override readonly name = 'DocumentReplacedError';
}

/** The page navigated while it was worked on, or its new document is not there yet. */
export function isDocumentLost(error: unknown): boolean {
  if (error instanceof DocumentReplacedError) return true;
  return (
    error instanceof Error &&
    /Execution context was destroyed|Cannot find (default execution )?context|Inspected target navigated|Not attached to an active page|uniqueContextId not found/.test(
      error.message,
    )
  );
}

/** Our own script was ended, as it ran for longer than it may. */
export class ScriptEndedError extends Error {
  override readonly name = 'ScriptEndedError';
}

/** What Chrome says of a script that has run for longer than its call allows, and of little else (Chromium 153). */
export function isTerminated(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Runtime\.evaluate\): (Internal error|Execution was terminated)/.test(error.message)
  );
}

/** A promise in the page that was waited for can never be settled: nothing there refers to it any more. */
export function isPromiseLost(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Promise was collected');
}
