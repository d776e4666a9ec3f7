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

interface FitOptions {
  readonly maxElements: number;
  /** Attribute for rows that may break. */
  readonly breaks: string;
  /** False: only looks for scrolled content, because a single sheet has room for everything. */
  readonly changes: boolean;
}

/** Room for content on a sheet, in CSS pixels. */
interface Room {
  readonly width: number;
  readonly height: number;
}

const PICTURES = 'img, svg, canvas, video, object, embed';
/** A table row that lays the page out has one of these, or its table says so. */
const LAYOUT = 'table, h1, h2, h3, h4, h5, h6, section, article, main';
/** Rows that are at least this share of a sheet may lay the page out. */
const LAYOUT_SHARE = 1 / 4;
/** Pictures below this share of a sheet fit, also if the page sets lower margins. */
const PICTURE_SHARE = 0.7;
/** Pictures are scaled to this share, at least: beyond it, nobody could read them. */
const LEAST_SCALE = 1 / 10;
/** Boxes and their hidden rest that are smaller than this in pixels show no text. */
const LEAST_TEXT = 10;
/** What may scroll: all but parts of tables and inline elements, which are most of a long page. */
const BOXES = ':not(table, tbody, thead, tfoot, tr, th, td, a, b, i, em, strong, span, small, code, br, option)';
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
    if (all(root, BOXES).some((box) => seen++ > maxElements || hasScrolledContent(box))) return true;
  }
  return false;
}

/**
 * Lets rows break that are taller than a sheet or lay the page out, and scales pictures to the sheet. Returns whether
 * it has changed anything, and whether the page has boxes with scrolled content. Runs in the page, laid out for paper.
 */
export function fitContent(
  room: Room,
  { maxElements, breaks, changes }: FitOptions,
): { readonly hasChanged: boolean; readonly isScrolled: boolean } {
  const rows: Element[] = [];
  const pictures: [picture: Element, scale: number][] = [];
  let isScrolled = false;
  for (const root of rootsOf()) {
    for (const row of all(root, 'tr').slice(0, maxElements)) if (mayBreak(row, room)) rows.push(row);
    for (const picture of all(root, PICTURES).slice(0, maxElements)) {
      const scale = scaleOf(picture, room);
      if (scale < 1) pictures.push([picture, scale]);
    }
    isScrolled ||= all(root, BOXES).slice(0, maxElements).some(hasScrolledContent);
  }
  if (!changes) return { hasChanged: false, isScrolled };
  announceOwnChange();
  for (const row of rows) setForPicture(row, breaks, '');
  for (const [picture, scale] of pictures) shrink(picture, scale);
  return { hasChanged: rows.length + pictures.length > 0, isScrolled };
}

function mayBreak(row: Element, { height }: Room): boolean {
  const own = boxOf(row).height;
  if (own <= height * LAYOUT_SHARE) return false;
  const table = closest(row, 'table');
  if (first(row, LAYOUT) !== null || (table !== null && /^(none|presentation)$/.test(attribute(table, 'role') ?? '')))
    return true;
  const heads = table === null ? [] : [first(table, 'thead'), first(table, 'tfoot')]; // repeated on each sheet
  return own > height - heads.reduce((sum, head) => sum + (head === null ? 0 : boxOf(head).height), 0);
}

/** Returns the scale at which a picture fits on its sheet with heading and caption. 1 for one that stays as it is. */
function scaleOf(picture: Element, { height }: Room): number {
  const box = boxOf(picture);
  if (box.height <= height || matches(picture, 'svg svg') || !isInFlow(picture)) return 1;
  const outer = closest(picture, 'figure') ?? picture;
  const around = boxOf(outer).height - box.height;
  const before = read(Element.prototype, outer, 'previousElementSibling');
  const heading = before !== null && /^h[1-6]$/.test(nameOf(before)) ? boxOf(outer).top - boxOf(before).top : 0;
  const beside = [around, heading].reduce((sum, extra) => (extra > 0 && extra < height / 3 ? sum + extra : sum), 0);
  const scale = (height - beside - 1) / box.height;
  return scale < LEAST_SCALE ? 1 : scale;
}

/** Pictures that lie behind or over the page stay: they are backgrounds and layers of charts. */
function isInFlow(element: Element): boolean {
  for (let outer: Element | null = element; outer !== null; outer = outerOf(outer)) {
    const { position } = computed(outer);
    if (position === 'absolute' || position === 'fixed') return false;
  }
  return true;
}

function shrink(picture: Element, scale: number): void {
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
