import {
  boxesOf,
  boxOf,
  computed,
  documentOf,
  nameOf,
  outerOf,
  read,
  viewOf,
} from '../../../../core/steps/in-page/nodes.ts';
import { everywhere } from '../../../../core/steps/in-page/roots-of.ts';
import type { Box } from './element-visibility.ts';
import type { Colours } from './colours.ts';

/** Something that is painted, and may lie over a text. */
export interface Cover {
  readonly element: Element;
  readonly box: Box;
  /** True for what lies over the content of its own element: a pseudo-element, or an outline. */
  readonly isOverOwn: boolean;
}

const MAX_COVERS = 20_000;
const MAX_CELLS = 200_000;
const MAX_LINES = 100; // of an inline element
const CELL = 64; // CSS pixels
const FAINTEST = 0.1; // opacity; layers over each other add up
const THINNEST = 4; // CSS pixels of a border that may hide letters
const FILTERED = 500; // CSS pixels around an element where a filter of the page may paint
const DRAWN = /^(?:img|video|canvas|svg|iframe|frame|object|embed|input|textarea|select|image)$/;
const PSEUDOS = ['::before', '::after'];

/** Knows what is painted at each place of the page, as far as styles tell it. Runs in the page. */
export class Covers {
  readonly #colours: Colours;
  readonly #rows = new Map<number, Cover[]>();
  #count = 0;
  #cells = 0;
  #isBuilt = false;

  constructor(colours: Colours) {
    this.#colours = colours;
  }

  /** Returns what may lie over a line of text, other than what is around it. Undefined if there is too much to tell. */
  over(element: Element, line: Box): readonly Cover[] | undefined {
    if (!this.#isBuilt) this.#build();
    if (this.#count >= MAX_COVERS || this.#cells >= MAX_CELLS) return undefined;
    const middle = Math.floor((line.top + line.bottom) / 2 / CELL);
    return (this.#rows.get(middle) ?? []).filter(
      ({ element: cover, box, isOverOwn }) =>
        overlaps(box, line) && documentOf(cover) === documentOf(element) && (isOverOwn || !contains(cover, element)),
    );
  }

  #build(): void {
    this.#isBuilt = true;
    for (const element of everywhere('*')) {
      if (this.#count >= MAX_COVERS || this.#cells >= MAX_CELLS) return;
      const style = computed(element);
      if (style.display === 'none' || style.visibility !== 'visible' || Number(style.opacity) < FAINTEST) continue;
      const reach = this.#reachOf(element, style);
      const boxes = style.display === 'inline' ? boxesOf(element).slice(0, MAX_LINES) : [boxOf(element)];
      if (reach !== undefined) for (const box of boxes) this.#add(element, grown(box, reach), false);
      if (outlinesContent(style)) this.#add(element, boxOf(element), true);
      for (const pseudo of PSEUDOS) {
        const box = this.#boxOfPseudo(element, computed(element, pseudo));
        if (box !== undefined) this.#add(element, box, true);
      }
    }
  }

  #add(element: Element, box: Box, isOverOwn: boolean): void {
    if (box.right - box.left < 4 || box.bottom - box.top < 4) return;
    const cover = { element, box, isOverOwn };
    this.#count++;
    for (let row = Math.floor(box.top / CELL); row <= Math.floor(box.bottom / CELL); row++) {
      if (this.#cells++ >= MAX_CELLS) return;
      const known = this.#rows.get(row);
      if (known === undefined) this.#rows.set(row, [cover]);
      else known.push(cover);
    }
  }

  /** Returns how far an element paints beyond its box. Undefined if it paints nothing. */
  #reachOf(element: Element, style: CSSStyleDeclaration): number | undefined {
    const svg: unknown = element instanceof SVGElement ? read(SVGElement.prototype, element, 'ownerSVGElement') : null;
    if (svg !== null) {
      // Shapes stay inside of their drawing, unless it lets them overflow.
      const isFree = svg instanceof SVGElement && computed(svg).overflow === 'visible';
      return isFree && (style.fill !== 'none' || style.stroke !== 'none') ? 0 : undefined;
    }
    const outline = style.outlineStyle === 'none' ? 0 : Number.parseFloat(style.outlineWidth);
    const outside = outline < THINNEST ? 0 : Math.max(0, outline + Number.parseFloat(style.outlineOffset));
    const beyond = style.filter.includes('url(') ? FILTERED : 0;
    const reach = Math.max(outside, beyond, this.#reachOfShadows(style.boxShadow), this.#reachOfShadows(style.filter));
    const isPainted = DRAWN.test(nameOf(element)) || this.#isFilled(style) || this.#hasWideBorder(style);
    return isPainted || reach > 0 ? reach : undefined;
  }

  /** Returns how far dense shadows reach. A blurred edge is half as dense as its shadow. */
  #reachOfShadows(text: string): number {
    const shadows =
      text === 'none'
        ? []
        : text.slice(0, 5_000).matchAll(/((?:rgba?|color|okl\w\w|l[ac][bh])\([^()]{1,100}\)) ([^(),]{1,100})/g);
    return [...shadows].reduce((most, [, colour = '', lengths = '']) => {
      if (lengths.includes('inset') || this.#colours.read(colour)[3] < FAINTEST) return most;
      const [x = 0, y = 0, blur = 0, spread = 0] = lengths.split(' ').map((length) => Number.parseFloat(length));
      return Math.max(most, Math.max(Math.abs(x), Math.abs(y)) + blur / 4 + spread);
    }, 0);
  }

  #isFilled({
    backgroundColor,
    backgroundImage,
    backgroundClip,
    backdropFilter,
    content,
  }: CSSStyleDeclaration): boolean {
    if (backdropFilter !== 'none' || content.includes('url(')) return true;
    if (backgroundClip.includes('text')) return false;
    return backgroundImage !== 'none' || this.#colours.read(backgroundColor)[3] >= FAINTEST;
  }

  #hasWideBorder(style: CSSStyleDeclaration): boolean {
    return (['Top', 'Right', 'Bottom', 'Left'] as const).some(
      (side) =>
        Number.parseFloat(style[`border${side}Width`]) >= THINNEST &&
        (style.borderImageSource !== 'none' || this.#colours.read(style[`border${side}Color`])[3] >= FAINTEST),
    );
  }

  /** Returns where a pseudo-element that was moved is painted. Undefined if it paints nothing. */
  #boxOfPseudo(element: Element, style: CSSStyleDeclaration): Box | undefined {
    const { content, display, position, visibility, opacity } = style;
    if (content === 'none' || content === 'normal' || display === 'none') return undefined;
    if (visibility !== 'visible' || Number(opacity) < FAINTEST) return undefined;
    const reach = this.#reachOfShadows(style.boxShadow);
    const hasLetters = /[^"\s]/.test(content);
    if (!hasLetters && reach === 0 && !this.#isFilled(style) && !this.#hasWideBorder(style)) return undefined;
    if (position === 'absolute' || position === 'fixed') return grown(placed(element, style), reach);
    const moves = [style.marginTop, style.marginLeft, style.top, style.left].map((length) => Number.parseFloat(length));
    const isMoved = moves.some((move) => move < 0) || style.transform !== 'none';
    return isMoved ? boxOf(element) : undefined;
  }
}

/** True if the outline of an element is painted over its content. */
function outlinesContent({ outlineStyle, outlineWidth, outlineOffset }: CSSStyleDeclaration): boolean {
  return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= THINNEST && Number.parseFloat(outlineOffset) < 0;
}

function contains(outer: Element, inner: Element): boolean {
  return Node.prototype.contains.call(outer, inner);
}

/** True if so much of a line lies in the box that letters may be hidden. */
function overlaps(box: Box, line: Box): boolean {
  const wide = Math.min(box.right, line.right) - Math.max(box.left, line.left);
  const high = Math.min(box.bottom, line.bottom) - Math.max(box.top, line.top);
  return high >= 0.4 * (line.bottom - line.top) && wide >= Math.min(8, 0.3 * (line.right - line.left)) && wide > 0;
}

function grown({ left, top, right, bottom }: Box, by: number): Box {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

/** Returns the box of a positioned pseudo-element, by its containing block. */
function placed(element: Element, style: CSSStyleDeclaration): Box {
  const px = (name: string): number => Number.parseFloat(style.getPropertyValue(name)) || 0;
  const { left: x, top: y } = style.position === 'fixed' ? { left: 0, top: 0 } : containingBox(element);
  const sides = (...names: readonly string[]): number => names.reduce((sum, name) => sum + px(name), 0);
  const isWhole = style.boxSizing === 'border-box';
  const across = ['padding-left', 'padding-right', 'border-left-width', 'border-right-width'];
  const down = ['padding-top', 'padding-bottom', 'border-top-width', 'border-bottom-width'];
  const wide = px('width') + (isWhole ? 0 : sides(...across));
  const high = px('height') + (isWhole ? 0 : sides(...down));
  const { a, b, c, d, e, f } = new DOMMatrixReadOnly(style.transform === 'none' ? '' : style.transform);
  const [middleX, middleY] = [
    x + sides('left', 'margin-left') + wide / 2 + e,
    y + sides('top', 'margin-top') + high / 2 + f,
  ];
  const halfWide = (Math.abs(a) * wide + Math.abs(c) * high) / 2;
  const halfHigh = (Math.abs(b) * wide + Math.abs(d) * high) / 2;
  return { left: middleX - halfWide, right: middleX + halfWide, top: middleY - halfHigh, bottom: middleY + halfHigh };
}

/** Returns the box that absolutely positioned content of an element refers to. */
function containingBox(element: Element): Pick<Box, 'left' | 'top'> {
  for (let at: Element | null = element; at !== null; at = outerOf(at)) {
    const { position, transform, borderLeftWidth, borderTopWidth } = computed(at);
    if (position === 'static' && transform === 'none') continue;
    const { left, top } = boxOf(at);
    return { left: left + Number.parseFloat(borderLeftWidth), top: top + Number.parseFloat(borderTopWidth) };
  }
  const { scrollX = 0, scrollY = 0 } = viewOf(element) ?? {};
  return { left: -scrollX, top: -scrollY };
}
