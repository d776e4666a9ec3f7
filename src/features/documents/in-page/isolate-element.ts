import {
  adoptRules,
  announceOwnChange,
  boxOf,
  computed,
  frameOf,
  isDocument,
  isElement,
  isShadow,
  nameOf,
  parentOf,
  read,
  setAttribute,
  setStyles,
  styleOf,
  typeOf,
} from '../../../core/steps/in-page/nodes.ts';

const AROUND = 'capture-around'; // pseudo-elements have no style attribute
const NO_PSEUDO_ELEMENTS = `[${AROUND}]::before, [${AROUND}]::after, ::backdrop { display: none !important; }`;
const UNMOVED = { transform: 'none', translate: 'none', rotate: 'none', scale: 'none', margin: '0' };
const BARE = { padding: '0', border: '0' };
const UNCUT = {
  height: 'auto',
  'min-height': '0',
  'max-height': 'none',
  overflow: 'visible',
  'clip-path': 'none',
  contain: 'none',
};

/**
 * Leaves only this element on the page, to print it alone. It is moved to the top with its full height, and keeps the
 * styles that it inherits. Also works inside shadow trees and same-origin frames. Runs in the page.
 */
export function isolateElement(element: Element): void {
  announceOwnChange();
  const place = inFlow(element);
  if (Object.keys(place).length > 0) {
    const { width } = boxOf(element);
    setStyles(element, { ...place, ...UNMOVED, 'box-sizing': 'border-box', width: `${width}px` });
    setStyles(element, { 'max-height': 'none' }); // a dialog is limited to the height of the window
  }
  let inner: Element | null = element;
  while (inner !== null) {
    const parent: Node | null = parentOf(inner);
    if (parent === null) break;
    hideBeside(inner, parent);
    inner = around(inner, parent);
    if (inner === null) continue;
    // A single child of a grid would move to the first cell.
    const isInGrid = computed(inner).display.includes('grid');
    setAttribute(inner, AROUND, '');
    setStyles(inner, { ...inFlow(inner), ...UNMOVED, ...BARE });
    if (isInGrid) setStyles(inner, { display: 'block' });
    if (nameOf(inner) !== 'iframe') setStyles(inner, UNCUT);
  }
}

/** Puts a positioned element into the flow, and keeps it as the containing block of its children. */
function inFlow(target: Element): Readonly<Record<string, string>> {
  return /absolute|fixed|sticky/.test(computed(target).position) ? { position: 'relative', inset: 'auto' } : {};
}

function hideBeside(kept: Element, parent: Node): void {
  for (const node of read(Node.prototype, parent, 'childNodes')) {
    if (node === kept || read(Node.prototype, node, 'nodeName') === 'HEAD') continue;
    const style = styleOf(node);
    if (style !== undefined) style.setProperty('display', 'none', 'important');
    // text nodes have no style
    else if (typeOf(node) === Node.TEXT_NODE) node.nodeValue = '';
  }
  if (isShadow(parent) || isDocument(parent)) adoptRules(parent, NO_PSEUDO_ELEMENTS);
}

/** Returns the surrounding element: the slot, the parent, the host of a shadow tree, or the frame of a document. */
function around(inner: Element, parent: Node): Element | null {
  const slot = read(Element.prototype, inner, 'assignedSlot');
  if (slot !== null) return slot;
  if (isElement(parent)) return parent;
  if (isShadow(parent)) return parent.host;
  const frame = frameOf(inner);
  if (frame !== null) setStyles(frame, { height: `${read(Element.prototype, inner, 'scrollHeight')}px` });
  return frame;
}
