import { setForPicture, styleForPicture } from '../../../core/steps/in-page/for-picture.ts';
import {
  all,
  announceOwnChange,
  attribute,
  boxOf,
  closest,
  computed,
  first,
  isRendered,
  matches,
  nameOf,
  outerOf,
  read,
} from '../../../core/steps/in-page/nodes.ts';
import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';
import { isLayered, LAYERS, type Picture, pictureOf, PICTURES, shrink } from './tall-picture.ts';

interface FitOptions {
  readonly maxElements: number;
  /** Attribute for rows that may break. */
  readonly breaks: string;
  /** False: only looks for scrolled content, because a single sheet has room for everything. */
  readonly changes: boolean;
  /** Factor by which Chrome shrinks the page. */
  readonly shrunkBy: number;
}

/** Room for content on a sheet, in CSS pixels. */
interface Room {
  readonly width: number;
  readonly height: number;
}

/** Heights for content by the names of pages, as the property `page` names them; empty for pages without a name. */
type Rooms = Readonly<Record<string, { readonly usual: Room; readonly first: Room }>>;

/** A row of this share of a sheet may break if it is the only one of its table, or the table has a role for layout. */
const LAYOUT_SHARE = 1 / 4;
/** Pictures below this share of a sheet fit, also if the page sets lower margins. */
const PICTURE_SHARE = 0.7;
/** Boxes and their hidden rest that are smaller than this in pixels show no text. */
const LEAST_TEXT = 10;
/** What may scroll: all but parts of tables and inline elements, which are most of a long page. */
const BOXES = ':not(table, tbody, thead, tfoot, tr, th, td, a, b, i, em, strong, span, small, code, br, option)';
/** Maximum number of children of an inline box that are searched for a page break. */
const MOST_PARTS = 50;
/** Values of `break-before` and `break-after` that begin a page. */
const FORCED = /^(?:page|always|left|right|recto|verso)$/;
/** Values of `overflow` with scroll bars. */
const SCROLLS = /^(auto|scroll)$/;

/**
 * True if the page may have rows or pictures that are taller than a sheet, or boxes with scrolled content. Measured in
 * the present layout, because another one takes 10 ms. Runs in the page.
 */
export function mayNotFit({ width, height }: Room, maxElements: number): boolean {
  const taller = Math.max(innerWidth / width, 1); // text becomes taller where it has less width
  const larger = Math.max(width / innerWidth, 1); // pictures become larger where they have more width
  let seen = 0;
  for (const root of rootsOf()) {
    const isTaller = (element: Element, share: number, factor: number): boolean =>
      seen++ > maxElements || boxOf(element).height * factor > height * share;
    if (all(root, 'tr').some((row) => isTaller(row, LAYOUT_SHARE, taller))) return true;
    if (all(root, PICTURES).some((picture) => isTaller(picture, PICTURE_SHARE, larger))) return true;
    if (all(root, LAYERS).slice(0, maxElements).some(isLayered)) return true;
    const isUnbroken = (box: Element): boolean =>
      isInLine(box) && (boxOf(box).height * taller > height || hasPageBreak(box));
    if (all(root, BOXES).some((box) => seen++ > maxElements || hasScrolledContent(box) || isUnbroken(box))) return true;
  }
  return false;
}

/**
 * Lets rows and boxes break that are taller than a sheet, and rows that lay the page out. Scales pictures to the sheet
 * on which they stand, and keeps their headings and captions with them. Returns whether it has changed anything, and
 * whether the page has boxes with scrolled content. Runs in the page, laid out for paper.
 */
export function fitContent(
  rooms: Rooms,
  { maxElements, breaks, changes, shrunkBy }: FitOptions,
): { readonly hasChanged: boolean; readonly isScrolled: boolean } {
  const rows: Element[] = [];
  const pictures: Picture[] = [];
  const unbroken: Element[] = [];
  const plots = new Set<Element>();
  const repeated = repeatedHeights();
  let isScrolled = false;
  const isNamed = Object.keys(rooms).length > 1; // most pages have no names to look for
  const heightFor = (element: Element, isFirst = false): number => {
    const room = (isNamed ? rooms[pageNameOf(element)] : undefined) ?? rooms[''];
    return ((isFirst ? room?.first : room?.usual)?.height ?? Infinity) * shrunkBy;
  };
  for (const root of rootsOf()) {
    for (const row of all(root, 'tr').slice(0, maxElements))
      if (mayBreak(row, heightFor(row), repeated)) rows.push(row);
    for (const element of all(root, PICTURES).slice(0, maxElements)) {
      const picture = pictureOf(element, heightFor);
      if (picture !== undefined) pictures.push(picture);
    }
    for (const box of all(root, BOXES).slice(0, maxElements)) {
      isScrolled ||= hasScrolledContent(box);
      if (isInLine(box) && (boxOf(box).height > heightFor(box) || hasPageBreak(box))) unbroken.push(box);
    }
    for (const layer of all(root, LAYERS).slice(0, maxElements)) {
      const plot = outerOf(layer);
      if (plot !== null && !plots.has(plot) && isLayered(layer) && boxOf(plot).height <= heightFor(plot))
        plots.add(plot);
    }
  }
  if (!changes) return { hasChanged: false, isScrolled };
  announceOwnChange();
  for (const row of rows) setForPicture(row, breaks, '');
  for (const box of unbroken) styleForPicture(box, { display: 'flow-root', width: `${boxOf(box).width}px` });
  for (const plot of plots) styleForPicture(plot, { 'break-inside': 'avoid' });
  for (const { element, scale, heading, figure } of pictures) {
    if (heading !== null) styleForPicture(heading, { 'break-after': 'avoid' });
    if (figure !== null) styleForPicture(figure, { 'break-inside': 'avoid' });
    if (scale < 1) shrink(element, scale);
  }
  return { hasChanged: rows.length + pictures.length + unbroken.length + plots.size > 0, isScrolled };
}

/** Returns the name of the pages that an element stands on. Empty without one. */
function pageNameOf(element: Element): string {
  for (let outer: Element | null = element; outer !== null; outer = outerOf(outer)) {
    const { page } = computed(outer);
    if (page !== 'auto' && page !== '') return page;
  }
  return '';
}

function mayBreak(row: Element, height: number, repeated: (table: Element) => number): boolean {
  const own = boxOf(row).height;
  if (own <= height * LAYOUT_SHARE) return false;
  const table = closest(row, 'table');
  if (table === null) return own > height;
  if (isAlone(row) || /^(none|presentation)$/.test(attribute(table, 'role') ?? '')) return true;
  return own > height - repeated(table);
}

/** Returns a function for the height of the parts of a table that are repeated on each sheet. Each is searched once. */
function repeatedHeights(): (table: Element) => number {
  const known = new Map<Element, number>();
  return (table) => {
    const heads = known.has(table) ? [] : [first(table, 'thead'), first(table, 'tfoot')];
    const height = known.get(table) ?? heads.reduce((sum, head) => sum + (head === null ? 0 : boxOf(head).height), 0);
    known.set(table, height);
    return height;
  };
}

/** True for the only row of a table. */
function isAlone(row: Element): boolean {
  const section = read(Node.prototype, row, 'parentElement');
  const hasSections = section !== null && nameOf(section) !== 'table';
  return !hasRowBeside(row) && !(hasSections && hasRowBeside(section));
}

/** True if rows, or parts of a table with rows, are beside this one. */
function hasRowBeside(part: Element): boolean {
  const beside = [
    read(Element.prototype, part, 'previousElementSibling'),
    read(Element.prototype, part, 'nextElementSibling'),
  ];
  return beside.some((each) => each !== null && /^(?:tr|tbody|thead|tfoot)$/.test(nameOf(each)));
}

/** True for a box in a line. Chrome breaks blocks only, and would cut a box that is taller than a sheet. */
function isInLine(element: Element): boolean {
  return /^inline-(?:block|flex|grid)$/.test(computed(element).display);
}

/** True for a box in a line with content that begins or ends a page. Chrome ignores it there. */
function hasPageBreak(box: Element): boolean {
  let part = read(Element.prototype, box, 'firstElementChild');
  for (let parts = 0; part !== null && parts < MOST_PARTS; parts++) {
    const { breakBefore, breakAfter } = computed(part);
    if (FORCED.test(breakBefore) || FORCED.test(breakAfter)) return true;
    part = read(Element.prototype, part, 'nextElementSibling');
  }
  return false;
}

/** True for a visible box whose content is larger than the box, so that a person would scroll it. */
function hasScrolledContent(element: Element): boolean {
  const of = (name: 'clientWidth' | 'clientHeight' | 'scrollWidth' | 'scrollHeight'): number =>
    read(Element.prototype, element, name);
  const [width, height] = [of('clientWidth'), of('clientHeight')];
  const isTaller = of('scrollHeight') > height + LEAST_TEXT;
  const isWider = of('scrollWidth') > width + LEAST_TEXT;
  if ((!isTaller && !isWider) || width < LEAST_TEXT || height < LEAST_TEXT || matches(element, 'html, body'))
    return false;
  const { overflowX, overflowY } = computed(element);
  return (
    ((isTaller && SCROLLS.test(overflowY)) || (isWider && SCROLLS.test(overflowX))) &&
    isRendered(element, { visibilityProperty: true, opacityProperty: true })
  );
}
