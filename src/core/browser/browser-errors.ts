import { ConnectionClosedError } from 'puppeteer';

/** The browser or the tab ended during a capture, and the request is not the cause. Worth a retry. */
export class BrowserClosedError extends Error {
  override readonly name = 'BrowserClosedError';
}

/** The renderer of the page crashed. Worth a retry. If it crashes again, the page is the cause. */
export class RendererCrashedError extends Error {
  override readonly name = 'RendererCrashedError';
}

/** The network service of the browser ended, so the page may be incomplete. Worth a retry. */
export class NetworkLostError extends Error {
  override readonly name = 'NetworkLostError';
}

/** A script of the page waits in a loop for the stopped clock. Worth a retry without stopping the clock. */
export class PageStuckError extends Error {
  override readonly name = 'PageStuckError';
}

/** Reasons for an empty PDF that another request can avoid. Known only after layout. */
export type PrintRefusal = 'past the last page' | 'no room';

/** Reads the error of Page.printToPDF. Undefined for any other error. */
export function printRefusalOf(error: unknown): PrintRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message.includes('Page range exceeds page count')) return 'past the last page';
  return error.message.includes('content area is empty') ? 'no room' : undefined;
}

/**
 * The renderer ended while it printed. A long document takes gigabytes of memory, and its accessibility tags take even
 * more.
 */
export class PrintingLostError extends Error {
  override readonly name = 'PrintingLostError';
}

/** True if the renderer ended while it printed. Chrome reports this before the crash. */
export function isPrintingLost(error: unknown): boolean {
  if (error instanceof RendererCrashedError) return true;
  return error instanceof Error && error.message.includes('Printing failed');
}

/** True if the compositor process ended during a screenshot. Chrome restarts it and only reports this. */
export function isPaintingLost(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Unable to capture screenshot');
}

/** True if a retry on a new page or browser may succeed. */
export function isRetryable(error: unknown): boolean {
  return (
    error instanceof BrowserClosedError ||
    error instanceof RendererCrashedError ||
    error instanceof NetworkLostError ||
    error instanceof PageStuckError ||
    error instanceof PrintingLostError ||
    error instanceof ConnectionClosedError ||
    isPaintingLost(error) ||
    // Puppeteer does not export the class. The class name distinguishes a closed target from other protocol errors.
    (error instanceof Error && error.name === 'TargetCloseError')
  );
}

/** The document was replaced while it was rendered. Chrome may never answer the call. */
export class DocumentReplacedError extends Error {
  override readonly name = 'DocumentReplacedError';
}

/** True if the page navigated during the call, or its new document is not ready. */
export function isDocumentLost(error: unknown): boolean {
  if (error instanceof DocumentReplacedError) return true;
  return (
    error instanceof Error &&
    /Execution context was destroyed|Cannot find (default execution )?context|Inspected target navigated|Not attached to an active page|uniqueContextId not found|(?:Could not find|No) (?:node|object) with given id/.test(
      error.message,
    )
  );
}

/** Our own script exceeded its time limit. */
export class ScriptEndedError extends Error {
  override readonly name = 'ScriptEndedError';
}

/** True if Chrome terminated a script that exceeded the time limit of its call (Chromium 153). */
export function isTerminated(error: unknown): boolean {
  return error instanceof Error && /Runtime\.evaluate\): (Internal error|Execution was terminated)/.test(error.message);
}

/** True if a promise in the page can never settle, because nothing refers to it any more. */
export function isPromiseLost(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Promise was collected');
}
