import { adoptStyleSheet } from '../../../steps/in-page/adopt-style-sheet.ts';
import {
  announceOwnChange,
  attribute,
  boxOf,
  computed,
  documentOf,
  frameOf,
  isElement,
  isRendered,
  outerOf,
  read,
  rootElement,
  setAttribute,
  setStyles,
  styleOf,
  viewOf,
} from '../../../steps/in-page/nodes.ts';
import { type Box, inTopWindow, placementOf } from '../../../steps/in-page/placement.ts';
import { documentInside, everywhere } from '../../../steps/in-page/roots-of.ts';

// Chrome paints frames of other origins in the window only, so each is moved there to be painted for a larger picture.

const FRAMES = 'captureFramesBeyondWindow'; // property of the isolated world's window, invisible to the page
const CHANGED = 'captureChangedForFrames';
const HIDDEN = `*, ::before, ::after, ::backdrop { visibility: hidden !important }
  html, body { background: none !important }`;
const HIDDEN_NAME = 'frames beyond the window';

/**
 * Finds the frames of other origins that lie in a part of the page and outside of the window. Returns how many there
 * are. Runs in the page.
 */
export function findFramesBeyondWindow(part: Box): number {
  const shown = { ...part, x: part.x - scrollX, y: part.y - scrollY };
  const frames = everywhere('iframe, object')
    .filter((frame) => {
      if (!isOfOtherOrigin(frame) || !isRendered(frame, { visibilityProperty: true, opacityProperty: true }))
        return false;
      const box = insideOfFrame(frame);
      return box.width >= 1 && box.height >= 1 && overlap(box, shown) && !overlap(box, theWindow());
    })
    .toArray();
  Reflect.set(globalThis, FRAMES, frames);
  return frames.length;
}

/**
 * Hides everything but a frame, and moves the page so that the frame is in the window. Returns the part of the page
 * that shows it; undefined for a frame that is turned, larger than `maxArea`, or does not move with the page. Runs in
 * the page.
 */
export function showFrameAlone(index: number, maxArea: number): Box | undefined {
  const frame = frameAt(index);
  const root = rootElement();
  if (frame === undefined || root === null || isTurned(frame)) return undefined;
  announceOwnChange();
  adoptStyleSheet(HIDDEN, HIDDEN_NAME);
  takeBack();
  for (let outer: Element | null = frame; outer !== null; outer = frameOf(outer))
    change(outer, { visibility: 'visible', 'border-color': 'transparent', 'box-shadow': 'none' });
  const { x, y, width, height } = insideOfFrame(frame);
  if (width * height > maxArea) return undefined;
  // A side margin would change the width of lines.
  const { marginTop } = computed(root);
  const top = Math.max((innerHeight - height) / 2, 0);
  change(root, { 'margin-top': `${Number.parseFloat(marginTop) - Math.round(y - top)}px` });
  if (x >= innerWidth || x + width <= 0) change(root, { position: 'relative', left: `${-Math.round(x)}px` });
  const moved = insideOfFrame(frame);
  return overlap(moved, theWindow()) ? { ...moved, x: moved.x + scrollX, y: moved.y + scrollY } : undefined;
}

/** Ends what `showFrameAlone` has begun. Runs in the page. */
export function showAll(): void {
  announceOwnChange();
  adoptStyleSheet('', HIDDEN_NAME);
  takeBack();
}

/**
 * Shows the picture of a frame in its place. It is in a closed shadow tree, because scripts of the page must not read
 * what a page of another origin shows. False for a frame that has no place. Runs in the page.
 */
export async function drawFrame(index: number, png: string): Promise<boolean> {
  const frame = frameAt(index);
  if (frame === undefined) return false;
  const bytes = Uint8Array.from(atob(png), (character) => character.codePointAt(0) ?? 0);
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  announceOwnChange();
  const [host, canvas] = [makeBeside(frame, 'span'), makeBeside(frame, 'canvas')];
  Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
  Element.prototype.attachShadow.call(host, { mode: 'closed' }).append(canvas);
  const { x, y, width, height } = boxInside(frame);
  const { zIndex } = computed(frame);
  setStyles(host, { all: 'initial', position: 'absolute', 'z-index': zIndex, 'transform-origin': '0 0' });
  for (const each of [host, canvas])
    setStyles(each, { display: 'block', width: `${width}px`, height: `${height}px`, 'pointer-events': 'none' });
  setAttribute(host, 'slot', attribute(frame, 'slot') ?? '');
  Element.prototype.after.call(frame, host);
  const placed = boxOf(host);
  const around = placed.width / width; // scale of the elements around
  if (around === 0) return false;
  const [right, down] = [(x - placed.x) / around, (y - placed.y) / around];
  setStyles(host, { transform: `translate(${right}px, ${down}px) scale(${1 / around})` });
  return true;
}

function makeBeside<Name extends 'span' | 'canvas'>(element: Element, name: Name): HTMLElementTagNameMap[Name] {
  return Document.prototype.createElement.call<Document, [Name], HTMLElementTagNameMap[Name]>(
    documentOf(element),
    name,
  );
}

function frameAt(index: number): Element | undefined {
  const frames: unknown = Reflect.get(globalThis, FRAMES);
  const frame: unknown = Array.isArray(frames) ? frames[index] : undefined;
  return isElement(frame) ? frame : undefined;
}

/** True for an element with a document that scripts of the page can't read. */
function isOfOtherOrigin(frame: Element): boolean {
  const view = viewOf(frame);
  if (view === null || documentInside(frame) !== null) return false;
  const owners: readonly { readonly prototype: object }[] = [view.HTMLIFrameElement, view.HTMLObjectElement];
  const owner = owners.find(({ prototype }) => Object.prototype.isPrototypeOf.call(prototype, frame));
  return owner !== undefined && Reflect.get(owner.prototype, 'contentWindow', frame) !== null;
}

/** Returns the area of a frame inside of its border and padding, in the top window. */
function insideOfFrame(frame: Element): Box {
  return inTopWindow(frame, boxInside(frame));
}

/** Returns the area of a frame inside of its border and padding, in its own window. */
function boxInside(frame: Element): Box {
  const { x, y, scale } = placementOf(frame);
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = computed(frame);
  const sideOf = (name: 'clientWidth' | 'clientHeight', ...paddings: readonly string[]): number =>
    paddings.reduce((rest, padding) => rest - Number.parseFloat(padding), read(Element.prototype, frame, name)) * scale;
  return {
    x,
    y,
    width: sideOf('clientWidth', paddingLeft, paddingRight),
    height: sideOf('clientHeight', paddingTop, paddingBottom),
  };
}

/** True for a frame that is turned or skewed: its picture would be, too. */
function isTurned(frame: Element): boolean {
  for (let outer: Element | null = frame; outer !== null; outer = outerOf(outer) ?? frameOf(outer)) {
    const { transform, rotate } = computed(outer);
    const { is2D, b, c } = new DOMMatrixReadOnly(transform);
    if (rotate !== 'none' || !is2D || b !== 0 || c !== 0) return true;
  }
  return false;
}

function theWindow(): Box {
  return { x: 0, y: 0, width: innerWidth, height: innerHeight };
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** Changes styles until `takeBack`. */
function change(element: Element, styles: Readonly<Record<string, string>>): void {
  const changed = changedStyles();
  if (!changed.has(element)) changed.set(element, styleOf(element)?.cssText ?? '');
  setStyles(element, styles);
}

function takeBack(): void {
  for (const [element, before] of changedStyles()) Object.assign(styleOf(element) ?? {}, { cssText: before });
  changedStyles().clear();
}

function changedStyles(): Map<Element, string> {
  const known: unknown = Reflect.get(globalThis, CHANGED);
  if (known instanceof Map) return known;
  const none = new Map<Element, string>();
  Reflect.set(globalThis, CHANGED, none);
  return none;
}
