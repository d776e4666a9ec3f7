import { clippersOf, sizeOf } from '../../in-page/clippers.ts';
import {
  adoptRules,
  all,
  announceOwnChange,
  boxOf,
  computed,
  documentOf,
  isDocument,
  isRendered,
  isShadow,
  matches,
  pageScroller,
  read,
  rootElement,
  styleOf,
} from '../../in-page/nodes.ts';
import { setForPicture, styleForPicture } from '../../in-page/for-picture.ts';
import { everywhere } from '../../in-page/roots-of.ts';
import { hiddenBy } from './area/shells.ts';

const PSEUDOS = ['::before', '::after'] as const;
const LAYER = 'capture-layer'; // pseudo-elements have no style attribute
/** Share of the window that a layer or a box with a pseudo-element of interest fills. */
const MOST_OF_WINDOW = 0.9;
/** How far below the window a bar waits, in heights of its own. A message at a place of the page is further away. */
const MOST_HEIGHTS = 3;
/** Limits for hostile pages: each layer is compared at 25 places, each sticky element with all boxes around it. */
const MOST_LAYERS = 50;
const MOST_STICKY = 1_000;
/** A lower edge that is below every page. */
const NO_EDGE = 1e8;
/** Places at which layers are compared, as shares of the window's sides. */
const PLACES = [0.1, 0.3, 0.5, 0.7, 0.9];

export interface Area {
  /** True if the area is printed: paper has its own backgrounds and layers on each sheet. */
  readonly isPrinted: boolean;
  /** Lower edge of the area in CSS pixels of the page. */
  readonly cutAt: number;
}

/**
 * Makes the page paint outside of the window as inside: backgrounds and layers that the window holds in place are
 * stretched behind all of the content, and elements that stick to the window return to their place.
 */
export function paintWhole({ isPrinted, cutAt }: Area): void {
  const isHigher = !isPrinted && pageHeight() > innerHeight;
  const sticky: Element[] = [];
  const backgrounds: Element[] = [];
  const layers: Element[] = [];
  const outside: Element[] = [];
  const pseudos: [Element, (typeof PSEUDOS)[number]][] = [];
  for (const element of everywhere('*')) {
    const { position, backgroundAttachment } = computed(element);
    if (position === 'sticky') sticky.push(element);
    if (!isHigher) continue;
    if (backgroundAttachment.includes('fixed')) backgrounds.push(element);
    if (position === 'fixed') {
      const box = boxOf(element);
      if (fillsWindow(box)) layers.push(element);
      if (waitsBelowWindow(element, box)) outside.push(element);
    }
    if (sizeOf(element, 'clientWidth') >= innerWidth / 2)
      for (const part of PSEUDOS) if (isHeld(element, part)) pseudos.push([element, part]);
  }
  if (sticky.length + backgrounds.length + layers.length + outside.length + pseudos.length === 0) return;
  announceOwnChange();
  for (const element of sticky.slice(0, MOST_STICKY).filter(sticksToWindow)) unstick(element, cutAt);
  for (const element of backgrounds) spread(element);
  for (const element of outside) styleForPicture(element, { visibility: 'hidden' });
  const behind = layers.slice(0, MOST_LAYERS).filter(isBehind);
  for (const layer of behind) stretch(layer);
  for (const [element, part] of pseudos.slice(0, MOST_LAYERS)) spreadPseudo(element, part);
}

function fillsWindow({ left, top, right, bottom }: DOMRect): boolean {
  const across = Math.min(right, innerWidth) - Math.max(left, 0);
  const down = Math.min(bottom, innerHeight) - Math.max(top, 0);
  return across >= innerWidth * MOST_OF_WINDOW && down >= innerHeight * MOST_OF_WINDOW;
}

/** True for a bar that waits just below the window to slide in: a picture of the whole page has room there. */
function waitsBelowWindow(element: Element, { top, width, height }: DOMRect): boolean {
  if (top < innerHeight - 1 || width * height === 0 || matches(element, ':popover-open')) return false;
  if (!('offsetParent' in element) || Reflect.get(HTMLElement.prototype, 'offsetParent', element) !== null)
    return false;
  const { bottom, positionArea } = computed(element);
  return positionArea === 'none' && Math.abs(Number.parseFloat(bottom)) < MOST_HEIGHTS * height;
}

/** True for an element that nothing but the window moves. Read before styles change: each change lays the page out. */
function sticksToWindow(element: Element): boolean {
  for (const clipper of clippersOf(element)) {
    const { overflowX, overflowY } = computed(clipper);
    const isScrollport = /auto|scroll|hidden|overlay/.test(overflowX + overflowY);
    if (isScrollport && (hiddenBy(clipper) > 0 || sizeOf(clipper, 'scrollWidth') > sizeOf(clipper, 'clientWidth')))
      return false;
    if (isScrollport) return true;
  }
  return true;
}

/** Returns an element that sticks to the window to its place in the flow, if that is above the lower edge. */
function unstick(element: Element, cutAt: number): void {
  const style = styleOf(element);
  const before = style?.cssText ?? '';
  styleForPicture(element, { position: 'relative', inset: 'auto' });
  if (cutAt < NO_EDGE && style !== undefined && boxOf(element).top + scrollY >= cutAt) style.cssText = before;
}

/** Lets a background move with its element instead of the window. */
function spread(element: Element): void {
  const { backgroundAttachment } = computed(element);
  styleForPicture(element, { 'background-attachment': backgroundAttachment.replaceAll('fixed', 'scroll') });
  const root = rootElement();
  // The background of the page is as high as the root element.
  if (root !== null && (element === root || element === read(Document.prototype, document, 'body')))
    styleForPicture(root, { 'min-height': `${pageHeight()}px` });
}

function pageHeight(): number {
  const root = pageScroller();
  return root === null ? innerHeight : sizeOf(root, 'scrollHeight');
}

/** True if nothing of the page lies below a fixed layer. */
function isBehind(layer: Element): boolean {
  const style = styleOf(layer);
  const isMoved = style !== undefined && style.transform !== ''; // by a script that follows the scroll
  if (isMoved || !isRendered(layer, { visibilityProperty: true, opacityProperty: true })) return false;
  const before = style?.cssText ?? '';
  styleForPicture(layer, { 'pointer-events': 'auto' });
  const isLowest = PLACES.every((x) => PLACES.every((y) => below(layer, innerWidth * x, innerHeight * y).length === 0));
  if (style !== undefined) style.cssText = before;
  return isLowest;
}

/** Returns the elements at a place that are painted before a layer, and do not contain it. */
function below(layer: Element, x: number, y: number): Element[] {
  const tree = Node.prototype.getRootNode.call(layer);
  const stack = isShadow(tree)
    ? tree.elementsFromPoint(x, y)
    : Document.prototype.elementsFromPoint.call(document, x, y);
  const index = stack.findLastIndex((element) => Node.prototype.contains.call(layer, element));
  if (index === -1) return [];
  return stack
    .slice(index + 1)
    .filter((element) => !Node.prototype.contains.call(element, layer) && computed(element).position !== 'fixed');
}

/** Makes a layer as high as the page, with the boxes inside it that fill it. */
function stretch(layer: Element): void {
  const { left, top, width, height } = boxOf(layer);
  const filling = all(layer, '*').filter((inner) => Math.abs(boxOf(inner).height - height) < 1);
  styleForPicture(layer, {
    inset: `${top}px auto auto ${left}px`,
    width: `${width}px`,
    height: `${pageHeight() - top}px`,
    'max-height': 'none',
    margin: '0',
    'box-sizing': 'border-box',
    transform: 'none',
    translate: 'none',
    transition: 'none',
  });
  for (const element of [layer, ...filling]) {
    if (element !== layer) styleForPicture(element, { height: '100%', 'max-height': 'none' });
    if (computed(element).objectFit === 'fill') styleForPicture(element, { 'object-fit': 'cover' });
  }
}

/** True if the window holds a pseudo-element, or its background, in place. */
function isHeld(element: Element, part: string): boolean {
  const { content, position, backgroundAttachment, width, height } = computed(element, part);
  if (content === 'none') return false;
  if (backgroundAttachment.includes('fixed')) return true;
  return (
    position === 'fixed' &&
    Number.parseFloat(width) >= innerWidth * MOST_OF_WINDOW &&
    Number.parseFloat(height) >= innerHeight * MOST_OF_WINDOW
  );
}

function spreadPseudo(element: Element, part: string): void {
  const { position, zIndex, backgroundAttachment } = computed(element, part);
  const attachment = backgroundAttachment.replaceAll('fixed', 'scroll');
  const isLayer = position === 'fixed' && (Number(zIndex) < 0 || isUnder(element));
  if (position === 'fixed' && !isLayer) return;
  const height = isLayer
    ? `height: ${pageHeight()}px !important; bottom: auto !important; max-height: none !important;`
    : '';
  const mark = `${LAYER}${part.replaceAll(':', '-')}`;
  setForPicture(element, mark, '');
  const tree = Node.prototype.getRootNode.call(element);
  if (!isDocument(tree) && !isShadow(tree)) return;
  adoptRules(tree, `[${mark}]${part} { background-attachment: ${attachment} !important; ${height} }`);
}

/** True if at most places of the window something else than this element is on top. */
function isUnder(element: Element): boolean {
  const places = PLACES.flatMap((x) => PLACES.map((y) => [innerWidth * x, innerHeight * y] as const));
  const others = places.filter(
    ([x, y]) => Document.prototype.elementFromPoint.call(documentOf(element), x, y) !== element,
  );
  return others.length > places.length / 2;
}
