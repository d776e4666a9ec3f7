import { boxOf, computed, isElement, isRendered, parentElementOf, read } from '../../in-page/nodes.ts';
import { rootsOf } from '../../in-page/roots-of.ts';

/** Most changes that are read in one callback, and most elements: a page may change thousands in each frame. */
const MOST = { changes: 20, elements: 200 };

interface LateChanges {
  /** Elements whose text or children have changed, with `performance.now()` of the last change. */
  readonly contents: Map<Element, number>;
  /** The same for their styles. */
  readonly styles: Map<Element, number>;
}

/** Watches from now on which elements the page changes, for `isStillChanging`. Runs in the page. */
export function watchLateChanges(): void {
  const contents = new Map<Element, number>();
  const styles = new Map<Element, number>();
  const observer = new MutationObserver((records) => {
    for (const record of records.slice(-MOST.changes)) {
      const element = isElement(record.target) ? record.target : parentElementOf(record.target);
      const changes = record.type === 'attributes' ? styles : contents;
      if (element === null || (changes.size >= MOST.elements && !changes.has(element))) continue;
      if (record.type === 'attributes' || changesContent(record)) changes.set(element, performance.now());
    }
  });
  const attributeFilter = ['style', 'class', 'opacity'];
  for (const root of rootsOf())
    observer.observe(root, { subtree: true, childList: true, characterDataOldValue: true, attributeFilter });
  Object.assign(globalThis, {
    captureLateChanges: (): LateChanges => {
      observer.disconnect();
      return { contents, styles };
    },
  });
}

/** False if only numbers change: a clock or a counter never ends. */
function changesContent({ type, target, oldValue, addedNodes, removedNodes }: MutationRecord): boolean {
  if (type === 'characterData') return wordsOf(oldValue) !== wordsOf(read(Node.prototype, target, 'textContent'));
  return addedNodes.length !== removedNodes.length || wordsIn(addedNodes) !== wordsIn(removedNodes);
}

function wordsIn(nodes: NodeList): string {
  return [...nodes].map((node) => wordsOf(read(Node.prototype, node, 'textContent'))).join('\n');
}

function wordsOf(text: string | null): string {
  return (text ?? '').replaceAll(/\d/g, '');
}

/**
 * True if text or elements in the window came or went within the last second of page time, or an element is half
 * transparent since. Ends the watch. Runs in the page.
 */
export function isStillChanging(): boolean {
  const recentMs = 1_000;
  const changes: unknown = Reflect.get(globalThis, 'captureLateChanges');
  if (typeof changes !== 'function') return false; // another document has replaced the watched one
  const { contents, styles }: LateChanges = changes();
  const since = performance.now() - recentMs;
  const isRecent = ([element, at]: readonly [Element, number]): boolean => at >= since && isInWindow(element);
  if ([...contents].some(isRecent)) return true;
  return [...styles].some((change) => isRecent(change) && isHalfTransparent(change[0]));
}

function isInWindow(element: Element): boolean {
  if (!isRendered(element, { visibilityProperty: true })) return false;
  const { left, top, right, bottom, width, height } = boxOf(element);
  return width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
}

function isHalfTransparent(element: Element): boolean {
  const [least, most] = [0.02, 0.98];
  const opacity = Number(computed(element).opacity);
  return opacity > least && opacity < most;
}
