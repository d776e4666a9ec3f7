import {
  bodyOf,
  boxOf,
  computed,
  documentOf,
  frameOf,
  outerOf,
  read,
  viewOf,
} from '../../../../core/steps/in-page/nodes.ts';
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
  /** Why only pixels tell whether the content can be seen. Undefined: the styles tell it. */
  readonly doubt: Doubt | undefined;
  /** True if a script has shown the content while the page was scrolled, and has hidden it since. */
  readonly isNoted: boolean;
}

/** What may hide a text. */
export type Doubt = 'covered' | 'clipped' | 'same_colour' | 'transparent';

const NOWHERE: Box = { left: 0, top: 0, right: 0, bottom: 0 };
const SEEN_OPACITY = 0.3; // as in `noteSeenText`
const SMALLEST_FRAME = 8; // CSS pixels; a person can't read in a smaller one, although it can be scrolled
// filters that can make letters as light as what is behind them; without those that change nothing
const ALTERING = /brightness\((?!1\))|contrast\((?!1\))|invert\((?!0\))|blur\((?!0px\))|url\(/;
// windows to the right: text beyond is outside of the page, although the page could be scrolled there
const FURTHEST = 2;

/** Where content inside an element can be seen, before the style of that element is known. */
type Surroundings = Omit<ElementVisibility, 'style'>;

/** Finds out the visibility of elements, once for each. Runs in the page. */
export class ElementVisibilities {
  readonly #colours: Colours;
  readonly #known = new WeakMap<Element, ElementVisibility>();

  constructor(colours: Colours) {
    this.#colours = colours;
  }

  of(element: Element): ElementVisibility {
    const path: Element[] = [];
    let found: Surroundings | undefined;
    for (let at: Element | null = element; at !== null; at = outerOf(at) ?? frameOf(at)) {
      found = this.#known.get(at);
      if (found !== undefined) break;
      path.push(at);
      if (isTop(at)) {
        found = this.#window(at, frameOf(at));
        break;
      }
    }
    let visibility = found ?? this.#window(read(Document.prototype, document, 'documentElement'), null);
    for (const each of path.toReversed()) {
      const own = this.#inside(each, visibility);
      this.#known.set(each, own);
      visibility = own;
    }
    return this.#known.get(element) ?? this.#inside(element, visibility);
  }

  /** Returns the box of the whole page of a window; an empty one if its frame can't be seen. */
  #window(root: Element, frame: Element | null): Surroundings {
    const above = frame === null ? undefined : this.of(frame);
    const view = viewOf(root);
    const isShown =
      frame === null ||
      (Math.min(view?.innerWidth ?? 0, view?.innerHeight ?? 0) >= SMALLEST_FRAME &&
        isLarge(intersect(above?.flow ?? NOWHERE, boxOf(frame))));
    const isDark = computed(root).colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches;
    const canvas: Colour = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1];
    const page = isShown ? pageBox(root) : NOWHERE;
    const bottom = view?.innerHeight ?? size(root, 'clientHeight');
    return {
      opacity: above?.opacity ?? 1,
      flow: page,
      absolute: page,
      fixed: isShown ? { left: 0, top: 0, right: size(root, 'clientWidth'), bottom } : NOWHERE,
      backdrop: [canvas],
      isTextFilled: false,
      doubt: above?.doubt,
      isNoted: above?.isNoted ?? false,
    };
  }

  #inside(element: Element, up: Surroundings): ElementVisibility {
    const style = computed(element);
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
    return {
      style,
      opacity: up.opacity * this.#opacityOf(element, style),
      flow,
      absolute: holdsFixed || position !== 'static' ? flow : up.absolute,
      fixed: holdsFixed ? flow : up.fixed,
      backdrop: this.#colours.painted(style, up.backdrop),
      isTextFilled: up.isTextFilled || this.#colours.fillsLetters(style, up.backdrop),
      doubt: up.doubt ?? doubtOf(element, style),
      isNoted: up.isNoted || (isNoted(element) && Number(style.opacity) < SEEN_OPACITY),
    };
  }

  #opacityOf(element: Element, { opacity, filter, maskImage }: CSSStyleDeclaration): number {
    if (isNoted(element)) return 1;
    let share = Number(opacity);
    for (const [, value = '1'] of filter.matchAll(/opacity\(([\d.]+)\)/g)) share *= Number(value);
    if (/(?:brightness|contrast)\(0\)/.test(filter)) return 0;
    const [, blurred = '0'] = /blur\(([\d.]+)px\)/.exec(filter) ?? [];
    if (Number(blurred) >= 8) return 0;
    const masks = this.#colours.ofGradients(maskImage);
    return masks === undefined ? share : share * Math.max(...masks.map(([, , , mask]) => mask));
  }
}

/** True for texts that `noteSeenText` recorded because they appeared during scrolling. */
function isNoted(element: Element): boolean {
  const seen: unknown = Reflect.get(globalThis, 'captureSeen');
  return seen instanceof WeakSet && seen.has(element);
}

/** Returns what in the styles of an element may hide its content, so that only pixels tell. */
function doubtOf(element: Element, style: CSSStyleDeclaration): Doubt | undefined {
  const { filter, transform, perspective, display } = style;
  if (style.clipPath !== 'none' || style.clip !== 'auto') return 'clipped';
  const masks = [style.maskImage, style.getPropertyValue('-webkit-mask-box-image-source')];
  if (masks.some((mask) => mask !== 'none' && mask !== '') || ALTERING.test(filter)) return 'transparent';
  if (style.mixBlendMode !== 'normal') return 'same_colour';
  if (transform.startsWith('matrix3d') || perspective !== 'none' || /[xyz ]/.test(style.rotate)) return 'covered';
  if (Number(style.zIndex) < 0) return 'covered';
  const { textDecorationLine, textDecorationThickness, fontSize, webkitTextStrokeWidth } = style;
  const isStruck = textDecorationLine !== 'none' && Number.parseFloat(textDecorationThickness) > 4;
  if (isStruck || Number.parseFloat(webkitTextStrokeWidth) > 0.05 * Number.parseFloat(fontSize)) return 'covered';
  return display !== 'inline' && display !== 'contents' && hasLineStyle(element, style) ? 'transparent' : undefined;
}

/** True if the first line or letter of a block has a colour or size of its own. */
function hasLineStyle(element: Element, style: CSSStyleDeclaration): boolean {
  const { color, webkitTextFillColor, fontSize, backgroundColor } = style;
  return ['::first-line', '::first-letter'].some((part) => {
    const own = computed(element, part);
    if (![backgroundColor, 'rgba(0, 0, 0, 0)'].includes(own.backgroundColor)) return true;
    return own.color !== color || own.webkitTextFillColor !== webkitTextFillColor || own.fontSize !== fontSize;
  });
}

function size(
  element: Element,
  name: 'clientWidth' | 'clientHeight' | 'scrollWidth' | 'scrollHeight' | 'scrollLeft' | 'scrollTop',
): number {
  return read(Element.prototype, element, name);
}

function intersect(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

function isLarge({ left, top, right, bottom }: Box): boolean {
  return right - left >= 2 && bottom - top >= 2;
}

/** True for the root element of a document. */
function isTop(element: Element): boolean {
  return read(Document.prototype, documentOf(element), 'documentElement') === element;
}

/** The whole page, in coordinates of its window. */
function pageBox(root: Element): Box {
  const { scrollX = 0, scrollY = 0 } = viewOf(root) ?? {};
  const isRightToLeft = computed(root).direction === 'rtl';
  const left = isRightToLeft ? size(root, 'clientWidth') - size(root, 'scrollWidth') - scrollX : -scrollX;
  const most = FURTHEST * Math.max(size(root, 'clientWidth'), 1_000);
  const right = left + Math.min(size(root, 'scrollWidth'), most);
  return { left, top: -scrollY, right, bottom: size(root, 'scrollHeight') - scrollY };
}

/**
 * Where the content of an element can be seen: a scroller shows all of its content, other boxes what lies in them.
 */
function clipOf(element: Element, { overflowX, overflowY, contain }: CSSStyleDeclaration, base: Box): Box {
  const isPainted = /paint|strict|content/.test(contain);
  const isOfPage = isTop(element) || bodyOf(documentOf(element)) === element;
  if (isOfPage || (overflowX === 'visible' && overflowY === 'visible' && !isPainted)) return base;
  const box = boxOf(element);
  const inside = intersect(base, box);
  if (!isLarge(inside)) return NOWHERE;
  const x = box.left - size(element, 'scrollLeft');
  const y = box.top - size(element, 'scrollTop');
  return {
    left: scrolls(overflowX) ? x : inside.left,
    right: scrolls(overflowX) ? x + size(element, 'scrollWidth') : inside.right,
    top: scrolls(overflowY) ? y : inside.top,
    bottom: scrolls(overflowY) ? y + size(element, 'scrollHeight') : inside.bottom,
  };
}

function scrolls(overflow: string): boolean {
  return overflow === 'auto' || overflow === 'scroll';
}
