import type { Page } from '../../browser/page/page.ts';

const TYPES = new Set(['beforeprint', 'afterprint']);
const MAX_LISTENERS = 100;

/** Listeners of a page for print events, and for its size. */
export interface PrintListeners {
  readonly hearPrint: boolean;
  readonly hearSize: boolean;
  /**
   * Removes the listeners for print events, so that the page gets these events only once, before its last frames. At
   * the print itself, handlers that add content would add it again, and `afterprint` would take it away between two
   * prints of one sheet.
   */
  readonly remove: () => Promise<void>;
}

const NONE: PrintListeners = { hearPrint: false, hearSize: false, remove: async () => undefined };

/**
 * Finds the listeners of the main window. None if the document is replaced meanwhile, or if a page hides its window.
 */
export async function findPrintListeners(page: Page): Promise<PrintListeners> {
  try {
    return await find(page);
  } catch {
    page.signal.throwIfAborted();
    return NONE;
  }
}

async function find(page: Page): Promise<PrintListeners> {
  const { result: view } = await page.send('Runtime.evaluate', {
    expression: 'globalThis',
    objectGroup: 'print', // without a group, the listeners come without their functions
  });
  const { objectId = '' } = view;
  const { listeners } = await page.send('DOMDebugger.getEventListeners', { objectId });
  const found = listeners.filter(({ type }) => TYPES.has(type)).slice(0, MAX_LISTENERS);
  return {
    hearPrint: found.length > 0,
    hearSize: listeners.some(({ type }) => type === 'resize'),
    remove: async () => {
      await Promise.allSettled(
        found.map(({ type, useCapture, handler }) =>
          page.send('Runtime.callFunctionOn', {
            objectId,
            functionDeclaration: removeListener.toString(),
            arguments: [{ value: type }, { value: useCapture }, { objectId: handler?.objectId }],
          }),
        ),
      );
    },
  };
}

/** Runs in the page's own world, as a method of its window. */
function removeListener(this: Window, type: string, useCapture: boolean, listener: EventListener): void {
  this.removeEventListener(type, listener, useCapture);
  Reflect.set(this, `on${type}`, null);
}
