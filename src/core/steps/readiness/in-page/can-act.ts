import { all, first, read } from '../../in-page/nodes.ts';

/**
 * True if the page may react to being displayed or scrolled: it has scripts, or child documents that may have. Does not
 * see scripts that were injected. A page that can't act stays so, and is searched once. Runs in the page.
 */
export function canAct(): boolean {
  const KEY = 'captureCannotAct'; // property of the isolated world's window, invisible to the page
  if (Reflect.get(globalThis, KEY) === true) return false;
  const can = hasScripts();
  const isLoaded = read(Document.prototype, document, 'readyState') === 'complete';
  if (!can && isLoaded) Reflect.set(globalThis, KEY, true);
  return can;
}

function hasScripts(): boolean {
  const handlers = '//@*[starts-with(local-name(), "on")]';
  return (
    first(document, 'script, iframe, frame, object, embed') !== null ||
    Document.prototype.evaluate.call(document, handlers, document, null, XPathResult.ANY_UNORDERED_NODE_TYPE)
      .singleNodeValue !== null ||
    hasTimers() ||
    all(document, '*').some((element) => read(Element.prototype, element, 'shadowRoot') !== null) ||
    // Detects a script that removed itself from the document.
    performance
      .getEntriesByType('resource')
      .some((entry) => 'initiatorType' in entry && entry.initiatorType === 'script')
  );
}

/** Detects a script that has replaced the body which contained it, and waits: ids of timers count from 1. */
function hasTimers(): boolean {
  const timer = window.setTimeout(() => undefined, 0);
  window.clearTimeout(timer);
  return timer > 1;
}
