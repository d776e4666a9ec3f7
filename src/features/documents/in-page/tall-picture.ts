import { setForPicture, styleForPicture } from '../../../core/steps/in-page/for-picture.ts';
import {
  attribute,
  boxOf,
  closest,
  computed,
  isElement,
  matches,
  nameOf,
  outerOf,
  read,
  typeOf,
} from '../../../core/steps/in-page/nodes.ts';

// Pictures that are as tall as a sheet, with the heading and the caption that belong to them, and plots of layers.

export const PICTURES = 'img, svg, canvas, video, object, embed';
/** Drawings beside another one, which may be layers of one plot. */
export const LAYERS = ':is(svg, canvas) ~ :is(svg, canvas)';
/** Lower ones are icons. */
const LEAST_PLOT = 50;
/** Pictures of at least this share of a sheet keep their heading and caption. */
const TALL_SHARE = 0.5;
/** Nodes before a picture that are searched for one with a height. */
const MOST_BEFORE = 20;
const HEADING = 'h1, h2, h3, h4, h5, h6, header:has(> :is(h1, h2, h3, h4, h5, h6):last-child)';
/** Boxes around a picture that may begin with it. */
const MOST_BOXES = 4;
/** Pictures are scaled to this share, at least: beyond it, nobody could read them. */
const LEAST_SCALE = 1 / 10;

/** A tall picture, and what stays on its sheet. */
export interface Picture {
  readonly element: Element;
  /** Scale at which it fits. 1 for a picture that does. */
  readonly scale: number;
  readonly heading: Element | null;
  readonly figure: Element | null;
}

/** Undefined for a picture that fits and has neither heading nor caption. */
export function pictureOf(
  element: Element,
  heightFor: (element: Element, isFirst?: boolean) => number,
): Picture | undefined {
  const box = boxOf(element);
  const usual = heightFor(element);
  if (box.height < Math.min(usual, heightFor(element, true)) * TALL_SHARE) return undefined;
  if (matches(element, 'svg svg') || !isInFlow(element)) return undefined;
  const figure = closest(element, 'figure');
  const outer = figure ?? element;
  const heading = headingAbove(outer);
  const start = heading ?? outer;
  const isFirst = beginsPage(start);
  const height = isFirst ? heightFor(element, true) : usual;
  const extras = [
    boxOf(outer).height - box.height,
    heading === null ? 0 : boxOf(outer).top - boxOf(heading).top,
    isFirst ? boxOf(start).top + scrollY : Number.parseFloat(computed(start).marginTop),
  ];
  const beside = extras.reduce((sum, extra) => (extra > 0 && extra < height / 3 ? sum + extra : sum), 0);
  const fitting = (height - beside - 1) / box.height;
  const scale = fitting < LEAST_SCALE ? 1 : Math.min(fitting, 1);
  return scale === 1 && heading === null && figure === null ? undefined : { element, scale, heading, figure };
}

/** True for an element with nothing before it but margins and comments. */
function beginsPage(element: Element): boolean {
  let left = MOST_BEFORE;
  for (let outer: Element | null = element; outer !== null; outer = read(Node.prototype, outer, 'parentElement')) {
    let before = read(Node.prototype, outer, 'previousSibling');
    for (; before !== null && left-- > 0; before = read(Node.prototype, before, 'previousSibling'))
      if (
        isElement(before)
          ? boxOf(before).height > 0
          : typeOf(before) === Node.TEXT_NODE && (before.nodeValue ?? '').trim() !== ''
      )
        return false;
  }
  return left > 0;
}

/** Returns the heading right above an element, or above the boxes that begin with it. Null if there is none. */
function headingAbove(element: Element): Element | null {
  let start: Element | null = element;
  for (let boxes = 0; start !== null && boxes < MOST_BOXES; boxes++) {
    const before = read(Element.prototype, start, 'previousElementSibling');
    if (before !== null) return matches(before, HEADING) ? before : null;
    start = read(Node.prototype, start, 'parentElement');
  }
  return null;
}

/** Pictures that lie behind or over the page stay: they are backgrounds and layers of charts. */
function isInFlow(element: Element): boolean {
  for (let outer: Element | null = element; outer !== null; outer = outerOf(outer)) {
    const { position } = computed(outer);
    if (position === 'absolute' || position === 'fixed') return false;
  }
  return true;
}

/** True for a drawing that lies over others in the box of a plot. Chrome would break each layer at another place. */
export function isLayered(drawing: Element): boolean {
  return boxOf(drawing).height >= LEAST_PLOT && computed(drawing).position === 'absolute';
}

export function shrink(picture: Element, scale: number): void {
  const { width, height } = boxOf(picture);
  if (nameOf(picture) === 'svg' && attribute(picture, 'viewBox') === null)
    setForPicture(picture, 'viewBox', `0 0 ${width} ${height}`);
  styleForPicture(picture, {
    'box-sizing': 'border-box',
    width: `${width * scale}px`,
    height: `${height * scale}px`,
    'min-width': '0',
    'min-height': '0',
    'max-width': 'none',
    'max-height': 'none',
    'vertical-align': 'bottom', // the line that it stands in would be taller
  });
}
