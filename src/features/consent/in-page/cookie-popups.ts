import {
  all,
  bodyOf,
  boxOf,
  computed,
  isDocument,
  isRendered,
  isShadow,
  matches,
  outerOf,
  read,
  rootElement,
} from '../../../core/steps/in-page/nodes.ts';
import { documentInside, rootsOf } from '../../../core/steps/in-page/roots-of.ts';
import { findRejectButton, type KindOf } from './find-reject-button.ts';

/** Rules for texts of a banner. */
export interface Words {
  /** True if the text may belong to a cookie banner. Fast, because it runs for every overlay text. */
  readonly mentions: (text: string) => boolean;
  /** True if the text reads like a cookie banner. */
  readonly isAbout: (text: string) => boolean;
  /** True if the text states that the site uses cookies. Then any button counts. */
  readonly statesCookieUse: (text: string) => boolean;
  readonly kindOf: KindOf;
}

/** A cookie banner without a rule. */
export interface CookiePopup {
  /** The whole banner, including a backdrop that contains nothing else. */
  readonly element: HTMLElement;
  /** The part with the text and the button. */
  readonly core: HTMLElement;
  /** The reject button. Undefined if there is none. */
  readonly reject: HTMLElement | undefined;
}

export interface Overlays {
  /** All overlays of the document. */
  readonly layers: Iterable<HTMLElement>;
  readonly popups: readonly CookiePopup[];
  /** Cross-origin overlay frames, with the element they lie on. Their content is checked in their own session. */
  readonly frames: readonly { readonly frame: HTMLIFrameElement; readonly element: HTMLElement }[];
}

const [COLUMNS, ROWS, EDGE] = [12, 10, 8];
// Upper bounds, because a page may have thousands of overlays.
const [MAX_KNOWN, MAX_INSIDE, MAX_LAYERS, MAX_TEXT] = [4_000, 5_000, 20, 4_000];
/** Hit tests of all points and trees: each takes time for the depth of its tree. */
const MAX_HIT_TESTS = 1_000;
const MEDIA = 'img, picture, video, canvas, iframe, object, embed, textarea, main, article, nav';

/**
 * Finds cookie banners among the overlays of the page (fixed, sticky, dialogs, layers), including open shadow trees.
 * Content in the normal flow is never checked, because it may be an article about cookies. Runs in the page.
 */
export function cookiePopups(words: Words, isFramed: boolean): Overlays {
  const { layers, frames } = isFramed ? bodyAsLayer() : findLayers();
  const popups = new Map<HTMLElement, CookiePopup>();
  for (const layer of [...layers].slice(0, MAX_LAYERS)) {
    const popup = popupOf(layer, { words, layers, isFramed });
    if (popup !== undefined) popups.set(popup.element, popup);
  }
  const seen = [...frames].filter(isSeen).map((frame) => ({ frame, element: allOf(frame) }));
  return { layers, popups: [...popups.values()], frames: seen };
}

interface Layers {
  readonly layers: ReadonlySet<HTMLElement>;
  /** Cross-origin frames on them. */
  readonly frames: ReadonlySet<HTMLIFrameElement>;
}

function bodyAsLayer(): Layers {
  const body = bodyOf(document);
  return { layers: new Set(body === null ? [] : [body]), frames: new Set() };
}

/** Hit-tests some points of the window, so the cost does not depend on the size of the page. */
function findLayers(): Layers {
  const layers = new Set<HTMLElement>();
  const frames = new Set<HTMLIFrameElement>();
  const known = new Set<Element>();
  let hitTests = 0;
  const lookAt = (root: Document | ShadowRoot, x: number, y: number): void => {
    if (known.size > MAX_KNOWN || ++hitTests > MAX_HIT_TESTS) return;
    const hits = isDocument(root)
      ? Document.prototype.elementsFromPoint.call(root, x, y)
      : root.elementsFromPoint(x, y);
    for (const hit of hits) {
      if (known.size > MAX_KNOWN) return;
      if (Node.prototype.getRootNode.call(hit) !== root) continue;
      const shadow = read(Element.prototype, hit, 'shadowRoot');
      if (shadow !== null) lookAt(shadow, x, y);
      if (known.has(hit)) continue;
      let isInLayer = false;
      for (let up = hit instanceof HTMLElement ? hit : parentOf(hit); up !== null; up = parentOf(up)) {
        if (layers.has(up)) isInLayer = true;
        if (known.has(up)) continue;
        known.add(up);
        if (!isLayer(up)) continue;
        layers.add(up);
        isInLayer = true;
      }
      if (isInLayer && hit instanceof HTMLIFrameElement && hit.contentDocument === null) frames.add(hit);
    }
  };
  // A bar with one line of text lies at an edge, between two rows of points.
  const inner = Array.from({ length: ROWS }, (_, row) => ((row + 0.5) * innerHeight) / ROWS);
  for (const y of [...inner, EDGE, innerHeight - EDGE])
    for (let column = 0; column < COLUMNS; column++) lookAt(document, ((column + 0.5) * innerWidth) / COLUMNS, y);
  return { layers, frames };
}

/** Returns the banner on a layer. Undefined if there is none. */
function popupOf(
  layer: HTMLElement,
  {
    words,
    layers,
    isFramed,
  }: { readonly words: Words; readonly layers: ReadonlySet<HTMLElement>; readonly isFramed: boolean },
): CookiePopup | undefined {
  const text = textOf(layer);
  if (!words.mentions(text)) return undefined;
  const statesCookieUse = words.statesCookieUse(text);
  const found = findRejectButton(insideOf(layer), { kindOf: words.kindOf, statesCookieUse }, isSeen);
  if (found.first === undefined) return undefined;
  // Finds the smallest element with both the text and a button.
  let core: HTMLElement | null = found.first;
  while (core !== null && core !== layer && !words.isAbout(textOf(core))) core = parentOf(core);
  if (core === null || !words.isAbout(textOf(core))) return undefined;
  const element = isFramed ? layer : allOf(core);
  // A layer over the whole window with more than a banner on it is the page itself.
  const { width, height } = boxOf(layer);
  const coversWindow = width >= innerWidth * 0.9 && height >= innerHeight * 0.9;
  const isPage = coversWindow && !isFramed && !isWithin(layer, element);
  if (isPage && !pathTo(core, layer).some((each) => layers.has(each))) return undefined;
  return { element, core, reject: found.reject((button) => isWithin(button, element)) };
}

function parentOf(element: Element): HTMLElement | null {
  const parent = outerOf(element);
  return parent instanceof HTMLElement ? parent : null;
}

/** Returns the elements from one element outwards, up to another one, which is not among them. */
function pathTo(inner: HTMLElement, outer: HTMLElement | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let up: HTMLElement | null = inner; up !== null && up !== outer; up = parentOf(up)) path.push(up);
  return path;
}

function isWithin(inner: HTMLElement, outer: HTMLElement): boolean {
  return pathTo(inner, null).includes(outer);
}

function insideOf(element: HTMLElement): (HTMLElement | Document | ShadowRoot)[] {
  const hosts = [element, ...all(element, '*')].slice(0, MAX_INSIDE);
  const trees = hosts.flatMap((host) => {
    const root = documentInside(host) ?? read(Element.prototype, host, 'shadowRoot');
    return root === null ? [] : [...rootsOf(root)];
  });
  return [element, ...trees];
}

function textOf(element: HTMLElement): string {
  const texts = insideOf(element).map((tree) => {
    if (tree instanceof HTMLElement) return innerTextOf(tree);
    const children = isShadow(tree) ? [...tree.children] : isDocument(tree) ? [bodyOf(tree)] : [];
    return children.map((child) => (child instanceof HTMLElement ? innerTextOf(child) : '')).join('\n');
  });
  return texts.join('\n').trim().slice(0, MAX_TEXT);
}

function innerTextOf(element: HTMLElement): string {
  return read(HTMLElement.prototype, element, 'innerText');
}

function isSeen(element: Element): boolean {
  const { width, height } = boxOf(element);
  return width > 0 && height > 0 && isRendered(element, { visibilityProperty: true });
}

function isLayer(element: HTMLElement): boolean {
  if (element === bodyOf(document) || element === rootElement()) return false;
  const { position, zIndex } = computed(element);
  if (position === 'fixed' || position === 'sticky') return true;
  if (position === 'absolute' && Number(zIndex) >= 10) return true;
  return matches(element, 'dialog[open], [role="dialog"], [role="alertdialog"], [aria-modal="true"], :popover-open');
}

/** Returns the outermost ancestor that contains nothing else. */
function allOf(core: HTMLElement): HTMLElement {
  const length = textOf(core).length;
  let outermost = core;
  for (let up = parentOf(core); up !== null; up = parentOf(up)) {
    if (up === bodyOf(document) || up === rootElement()) break;
    const isOutside = (each: Element): boolean => !Node.prototype.contains.call(outermost, each) && isSeen(each);
    if (textOf(up).length > length + 5 || all(up, MEDIA).some(isOutside)) break;
    outermost = up;
  }
  return outermost;
}
