import {
  adoptRules,
  all,
  attribute,
  bodyOf,
  boxOf,
  computed,
  first,
  isDocument,
  isShadow,
  read,
  rootElement,
  setStyles,
} from '../../../core/steps/in-page/nodes.ts';

const MAX_VEILS = 5;

/**
 * Removes an element from the page with `display: none`, together with its backdrop and the scroll lock of the page. An
 * element with an id stays hidden when the page creates it again. Runs in the page.
 */
export function removeElement(element: HTMLElement): void {
  const id = attribute(element, 'id') ?? '';
  const root = Node.prototype.getRootNode.call(element);
  // removes the modal state, so that the rest of the page is usable
  if (element instanceof HTMLDialogElement && element.open) element.close();
  setStyles(element, { display: 'none' });
  if (id !== '' && (isDocument(root) || isShadow(root))) {
    const selector = `#${CSS.escape(id)}`;
    if (all(root, selector).length === 1) adoptRules(root, `${selector} { display: none !important }`);
  }
  for (let veils = 0; veils < MAX_VEILS; veils++) {
    const hits = Document.prototype.elementsFromPoint.call(document, innerWidth / 2, innerHeight / 2);
    const veil = hits.find(isVeil);
    if (veil === undefined) break;
    setStyles(veil, { display: 'none' });
  }
  unlockScroll();
}

/** True for an empty, partly transparent element over the whole window. */
function isVeil(over: Element): over is HTMLElement {
  if (!(over instanceof HTMLElement) || over === bodyOf(document) || over === rootElement()) return false;
  const { position, backgroundColor, backdropFilter, opacity } = computed(over);
  if (position !== 'fixed' && position !== 'absolute') return false;
  const { width, height } = boxOf(over);
  if (width < innerWidth * 0.98 || height < innerHeight * 0.98) return false;
  if (read(HTMLElement.prototype, over, 'innerText').trim() !== '') return false;
  if (first(over, 'img, video, canvas, iframe, svg, object') !== null) return false;
  const alpha = /^rgba\(.*, ([\d.]+)\)$/.exec(backgroundColor)?.[1];
  const isClear = alpha !== undefined && Number(alpha) < 1 && Number(alpha) > 0;
  return isClear || (alpha === undefined && Number(opacity) < 1) || backdropFilter !== 'none';
}

function unlockScroll(): void {
  const [body, top] = [bodyOf(document), rootElement()];
  if (body === null || top === null) return;
  const isHeld = [body, top].some((each) => computed(each).overflowY === 'hidden');
  const isPinned = computed(body).position === 'fixed';
  if (isPinned) setStyles(body, { position: 'static' });
  if (isPinned || (isHeld && Math.max(height(body), height(top)) > innerHeight)) {
    for (const each of [body, top]) setStyles(each, { overflow: 'visible' });
  }
}

function height(element: Element): number {
  return read(Element.prototype, element, 'scrollHeight');
}
