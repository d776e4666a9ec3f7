import type { Colour, Colours } from './colours.ts';

/** In CSS pixels of the window of its document. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What decides whether the content of an element can be seen. */
export interface ElementVisibility {
  readonly style: CSSStyleDeclaration;
  /** The element, or the nearest one around it that has a box. */
  readonly boxed: Element;
  /** Product of all opacities, from 0 to 1. */
  readonly opacity: number;
  /** Where content can be seen, or scrolled into view: in the flow, absolutely positioned, and fixed. */
  readonly flow: Box;
  readonly absolute: Box;
  readonly fixed: Box;
  /** Possible colours behind the content, by its ancestors. Undefined: a picture. */
  readonly backdrop: readonly Colour[] | undefined;
  /** True if a background is painted into the letters, in a colour that a person can see. */
  readonly isTextFilled: boolean;
  /** How the letters are mixed with what is behind them. */
  readonly blendMode: string;
  /** The nearest ancestor with a clip path or a hidden back face, whose effect only a hit test shows. */
  readonly shaped: Element | undefined;
  /** True if an ancestor is painted behind its parent. */
  readonly isBehind: boolean;
}

/** Type of `elementVisibility`. */
export type CreateElementVisibility = typeof elementVisibility;

/** Creates a function that returns the visibility of an element, once for each. Runs in the page. */
export function elementVisibility({
  ofGradients,
  painted,
  fillsLetters,
}: Colours): (element: Element) => ElementVisibility {
  const nowhere: Box = { left: 0, top: 0, right: 0, bottom: 0 };
  const smallestFrame = 8; // CSS pixels; a person can't read in a smaller one, although it can be scrolled
  // windows to the right: text beyond is outside of the page, although the page could be scrolled there
  const furthest = 2;
  const known = new WeakMap<Element, ElementVisibility>();
  const get = <P extends object, K extends keyof P>(prototype: P, node: Node, name: K): P[K] =>
    Reflect.get(prototype, name, node);
  const isElement = (node: Node | null): node is Element =>
    node !== null && get(Node.prototype, node, 'nodeType') === Node.ELEMENT_NODE;
  const intersect = (a: Box, b: Box): Box => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const isSeen = ({ left, top, right, bottom }: Box): boolean => right - left >= 2 && bottom - top >= 2;

  /** The parent as it is painted: the slot of a slotted element, the host of a shadow tree, the frame of a document. */
  const parentOf = (element: Element): Element | null => {
    const slot = get(Element.prototype, element, 'assignedSlot');
    if (slot !== null) return slot;
    const parent = get(Node.prototype, element, 'parentNode');
    if (isElement(parent)) return parent;
    if (parent !== null && 'host' in parent) return get(ShadowRoot.prototype, parent, 'host');
    return get(Node.prototype, element, 'ownerDocument')?.defaultView?.frameElement ?? null;
  };
  const isRoot = (element: Element): boolean => {
    const of = get(Node.prototype, element, 'ownerDocument');
    return of !== null && (element === of.documentElement || element === of.body);
  };

  /** Returns the box of the whole page of a window; an empty one if its frame can't be seen. */
  const start = (root: Element, frame: Element | null): Omit<ElementVisibility, 'style'> => {
    const above = frame === null ? undefined : visibilityOf(frame);
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = root;
    const view = root.ownerDocument.defaultView;
    const { scrollX = 0, scrollY = 0 } = view ?? {};
    const isRightToLeft = getComputedStyle(root).direction === 'rtl';
    const left = isRightToLeft ? clientWidth - scrollWidth - scrollX : -scrollX;
    const most = furthest * Math.max(clientWidth, 1_000);
    const page = {
      left,
      top: -scrollY,
      right: left + Math.min(scrollWidth, most),
      bottom: scrollHeight - scrollY,
    };
    const isShown =
      frame === null ||
      (Math.min(view?.innerWidth ?? 0, view?.innerHeight ?? 0) >= smallestFrame &&
        isSeen(intersect(above?.flow ?? nowhere, Element.prototype.getBoundingClientRect.call(frame))));
    const window = { left: 0, top: 0, right: clientWidth, bottom: view?.innerHeight ?? clientHeight };
    const isDark =
      getComputedStyle(root).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches;
    const canvas: Colour = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return {
      boxed: root,
      opacity: above?.opacity ?? 1,
      flow: isShown ? page : nowhere,
      absolute: isShown ? page : nowhere,
      fixed: isShown ? window : nowhere,
      backdrop: [canvas],
      isTextFilled: false,
      blendMode: 'normal',
      shaped: undefined,
      isBehind: above?.isBehind ?? false,
    };
  };

  /** Texts that `noteSeenText` recorded because they appeared during scrolling. */
  const seen: unknown = Reflect.get(globalThis, 'captureSeen');
  const opacityOf = (element: Element, { opacity, filter, maskImage }: CSSStyleDeclaration): number => {
    if (seen instanceof WeakSet && seen.has(element)) return 1;
    let share = Number(opacity);
    for (const [, value = '1'] of filter.matchAll(/opacity\(([\d.]+)\)/g)) share *= Number(value);
    if (/(?:brightness|contrast)\(0\)/.test(filter)) return 0;
    const [, blurred = '0'] = /blur\(([\d.]+)px\)/.exec(filter) ?? [];
    if (Number(blurred) >= 8) return 0;
    const masks = ofGradients(maskImage);
    return masks === undefined ? share : share * Math.max(...masks.map(([, , , mask]) => mask));
  };
  /**
   * Where the content of an element can be seen: a scroller shows all of its content, other boxes what lies in them.
   */
  const clipOf = (element: Element, { overflowX, overflowY, contain }: CSSStyleDeclaration, base: Box): Box => {
    const isPainted = /paint|strict|content/.test(contain);
    if (isRoot(element) || (overflowX === 'visible' && overflowY === 'visible' && !isPainted)) return base;
    const box = Element.prototype.getBoundingClientRect.call(element);
    const inside = intersect(base, box);
    if (!isSeen(inside)) return nowhere;
    const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
    const x = box.left - get(Element.prototype, element, 'scrollLeft');
    const y = box.top - get(Element.prototype, element, 'scrollTop');
    return {
      left: scrolls(overflowX) ? x : inside.left,
      right: scrolls(overflowX) ? x + get(Element.prototype, element, 'scrollWidth') : inside.right,
      top: scrolls(overflowY) ? y : inside.top,
      bottom: scrolls(overflowY) ? y + get(Element.prototype, element, 'scrollHeight') : inside.bottom,
    };
  };

  const next = (element: Element, up: Omit<ElementVisibility, 'style'>): ElementVisibility => {
    const style = getComputedStyle(element);
    const { position, transform, filter, perspective, willChange, contain } = style;
    const base = position === 'fixed' ? up.fixed : position === 'absolute' ? up.absolute : up.flow;
    const isBoxless = style.display === 'inline' || style.display === 'contents';
    const flow = isBoxless ? base : clipOf(element, style, base);
    const holdsFixed =
      transform !== 'none' ||
      filter !== 'none' ||
      perspective !== 'none' ||
      /transform|filter|perspective/.test(willChange) ||
      /paint|layout|strict|content/.test(contain);
    const isShaped = style.clipPath !== 'none' || style.clip !== 'auto' || style.backfaceVisibility === 'hidden';
    return {
      style,
      boxed: style.display === 'contents' ? up.boxed : element,
      opacity: up.opacity * opacityOf(element, style),
      flow,
      absolute: holdsFixed || position !== 'static' ? flow : up.absolute,
      fixed: holdsFixed ? flow : up.fixed,
      backdrop: painted(style, up.backdrop),
      isTextFilled: up.isTextFilled || fillsLetters(style, up.backdrop),
      blendMode: style.mixBlendMode === 'normal' ? up.blendMode : style.mixBlendMode,
      shaped: isShaped ? element : up.shaped,
      isBehind: up.isBehind || Number(style.zIndex) < 0,
    };
  };

  function visibilityOf(element: Element): ElementVisibility {
    const path: Element[] = [];
    let found: Omit<ElementVisibility, 'style'> | undefined;
    for (let at: Element | null = element; at !== null;) {
      found = known.get(at);
      if (found !== undefined) break;
      path.push(at);
      const of: Document | null = get(Node.prototype, at, 'ownerDocument');
      if (of?.documentElement === at) {
        found = start(at, of.defaultView?.frameElement ?? null);
        break;
      }
      at = parentOf(at);
    }
    let visibility = found ?? start(document.documentElement, null);
    for (const each of path.toReversed()) {
      const own = next(each, visibility);
      known.set(each, own);
      visibility = own;
    }
    return known.get(element) ?? next(element, visibility);
  }
  return visibilityOf;
}
