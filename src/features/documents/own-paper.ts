import type { DocumentOptions } from './document-fields.ts';
import type { BackgroundSheet } from './in-page/place-backgrounds.ts';
import type { PageRules } from './in-page/page-rules.ts';
import { fromInches, toPixels } from './length.ts';
import { PAPER_SIZES, SIDES } from './paper-sizes.ts';
import { LEAST_ROOM, type Margins, roomOf, type Sheet } from './sheet.ts';

/** Shorter side of the smallest paper that CSS has a name for, A5. */
const LEAST_NAMED = fromInches(148 / 25.4);
/** Papers that have the same name and size in CSS. */
const NAMED = new Map(
  (['A3', 'A4', 'A5', 'Letter', 'Legal'] as const).map((name) => [name.toLowerCase(), PAPER_SIZES[name]]),
);
const AXES = [
  { from: 'top', to: 'bottom', side: 'height' },
  { from: 'left', to: 'right', side: 'width' },
] as const;

/** Paper that the page sets for all its pages, as far as it is written in lengths. In CSS pixels. */
interface OwnPaper {
  readonly size: Size | undefined;
  readonly margins: Readonly<Partial<Margins>>;
}

type Size = Pick<Sheet, 'width' | 'height'>;
type PaperOptions = DocumentOptions & { readonly window_height: number };

type Sides = (typeof SIDES)[number];

/** Margins that sheets of a document may have on each side, in CSS pixels. Undefined: any. */
export type KnownMargins = Readonly<Record<Sides, readonly (number | undefined)[]>>;

/** Margins of the sheets of a document, by the request and by the page's own rules for some of its pages. */
export interface SheetMargins {
  readonly known: KnownMargins;
  /** Returns the margins that a sheet probably has, by its place in the document. In CSS pixels. */
  readonly expected: (index: number) => Readonly<Margins>;
}

export function marginsOnSheets(sheet: Sheet, pageRules: PageRules, options: DocumentOptions): SheetMargins {
  const { rules, isWhole } = pageRules;
  const of = (side: Sides): readonly (number | undefined)[] => {
    const own = rules.map((rule) => rule[side]).filter((margin) => margin !== '');
    const { margins, defaultMargins } = sheet;
    const named = [...new Set(own)].map(toPixels);
    return [margins[side], defaultMargins[side] ?? margins[side], ...named, ...(isWhole ? [] : [undefined])];
  };
  return {
    known: { top: of('top'), right: of('right'), bottom: of('bottom'), left: of('left') },
    expected: (index) => {
      const selectors = ['', index % 2 === 0 ? ':right' : ':left', ...(index === 0 ? [':first'] : [])];
      return withOwnPaper(sheet, rulesFor(pageRules, selectors), options).margins;
    },
  };
}

/** Returns the rules with these selectors, the weakest first, as rules for all pages. */
function rulesFor(pageRules: PageRules, selectors: readonly string[]): PageRules {
  const rules = selectors.flatMap((each) => pageRules.rules.filter(({ selector }) => selector === each));
  return { ...pageRules, rules: rules.map((rule) => ({ ...rule, selector: '' })) };
}

/**
 * Returns the sheet with the margins that the page sets for all its pages, where the request sets none. A single sheet
 * also gets the width of the page's own paper. On a label that is too small for the default margins, they are 0.
 */
export function withOwnPaper(
  sheet: Sheet,
  { rules }: PageRules,
  { pdf_single_page: isSingle, pdf_header_html: header, pdf_footer_html: footer }: DocumentOptions,
): Sheet {
  const own = ownPaperOf(rules);
  const margins = { ...sheet.margins, ...own.margins, ...sheet.fixedMargins };
  if (own.size === undefined || sheet.isChosen) return { ...sheet, margins };
  if (isSingle) return { ...sheet, margins, width: own.size.width };
  const templates = { top: header, bottom: footer, left: undefined, right: undefined };
  const set = { ...sheet.defaultMargins, ...own.margins, ...sheet.fixedMargins };
  const none: Partial<Margins> = {};
  for (const { from, to, side } of AXES) {
    if (own.size[side] - margins[from] - margins[to] >= LEAST_ROOM) continue;
    for (const edge of [from, to]) if (set[edge] === undefined && templates[edge] === undefined) none[edge] = 0;
  }
  return { ...sheet, margins: { ...margins, ...none }, defaultMargins: { ...sheet.defaultMargins, ...none } };
}

/**
 * Returns the room for content on the paper that Chrome will probably choose: that of the request, or the one that the
 * page sets for all its pages. In CSS pixels of the page.
 */
export function expectedRoom(sheet: Sheet, rules: PageRules, options: PaperOptions): Size {
  if (options.pdf_single_page) return roomOf(sheet, options);
  const room = roomOf(expectedSheet(sheet, rules, options), options);
  return Math.min(room.width, room.height) < LEAST_ROOM ? roomOf(sheet, options) : room;
}

function expectedSheet(sheet: Sheet, rules: PageRules, options: DocumentOptions): Sheet {
  const sized = rules.rules.findLast(({ selector, size }) => selector === '' && size !== '');
  const isOwn = !sheet.isNamed && sized !== undefined;
  const { width, height } = isOwn ? paperNamed(sized.size.toLowerCase().split(' '), sheet) : sheet;
  return { ...withOwnPaper(sheet, rules, options), width, height };
}

/** Returns the kinds of sheets that the page describes, for their backgrounds. In CSS pixels of the paper. */
export function sheetsWithBackground(
  sheet: Sheet,
  pageRules: PageRules,
  options: DocumentOptions,
): readonly BackgroundSheet[] {
  const selectors = new Set(['', ...pageRules.rules.map(({ selector }) => selector)]);
  return [...selectors].slice(0, MOST_NAMES).map((selector) => {
    const [name = ''] = selector.split(':');
    const all = [...new Set(['', selector.slice(name.length), name, selector])];
    const { width, height, margins } = expectedSheet(sheet, rulesFor(pageRules, all), options);
    return { selectors: all, width, height, left: margins.left, top: margins.top };
  });
}

/** Rooms for content by the names of pages, as the property `page` names them; empty for pages without a name. */
export type SheetRooms = Readonly<Record<string, { readonly usual: Size; readonly first: Size }>>;

/** Pages with names whose rooms are computed. */
const MOST_NAMES = 50;

/**
 * Returns the room for content on each kind of sheet that the page describes, in CSS pixels of the page.
 * @param printed room on the first sheet, as printed: all sheets have it if the page's rules do not explain it
 */
export function roomsOnSheets(
  sheet: Sheet,
  pageRules: PageRules,
  { printed, options }: { readonly printed: Size; readonly options: PaperOptions },
): SheetRooms {
  const roomFor = (...selectors: readonly string[]): Size =>
    expectedRoom(sheet, rulesFor(pageRules, selectors), options);
  const named = pageRules.rules.map(({ selector }) => selector.replace(/:.*/, ''));
  const names = [...new Set(['', ...named])].slice(0, MOST_NAMES);
  const rooms = names.map((name) => ({
    name,
    usual: roomFor(...new Set(['', name])),
    first: roomFor(...new Set(['', ':first', name, `${name}:first`])),
  }));
  const isExplained = rooms.some(({ usual, first }) => isAsLarge(first, printed) || isAsLarge(usual, printed));
  return Object.fromEntries(
    rooms.map(({ name, usual, first }) => [name, isExplained ? { usual, first } : { usual: printed, first: printed }]),
  );
}

/** Chrome's rounding of margins, as a share of the room. */
const ROUNDING = 0.01;

function isAsLarge(room: Size, printed: Size): boolean {
  return (['width', 'height'] as const).every((side) => Math.abs(room[side] / printed[side] - 1) < ROUNDING);
}

/** Returns the paper of a `size`, such as `a3 landscape` or `10cm 20cm`; the usual one for unknown words. */
function paperNamed(words: readonly string[], usual: Sheet): Size {
  const [first = '', second = first] = words.filter((word) => word !== 'portrait' && word !== 'landscape');
  const [width, height] = [toPixels(first), toPixels(second)];
  if (width !== undefined && height !== undefined) return { width, height };
  const [shortSide, longSide] = NAMED.get(first)?.map(fromInches) ?? [usual.width, usual.height];
  if (shortSide === undefined || longSide === undefined || !words.includes('landscape'))
    return { width: shortSide ?? usual.width, height: longSide ?? usual.height };
  return { width: longSide, height: shortSide };
}

/** True if the margins may leave no room on a paper that the page sets. */
export function mayLackRoom({ margins, fixedMargins }: Sheet, { rules, isWhole }: PageRules): boolean {
  if (!isWhole) return Object.keys(fixedMargins).length > 0;
  const most: Margins = { ...margins };
  let least = Infinity;
  for (const { size, ...rule } of rules) {
    least = Math.min(least, ...size.split(' ').map(leastSide));
    for (const side of SIDES)
      if (rule[side] !== '') most[side] = Math.max(most[side], toPixels(rule[side]) ?? Infinity);
  }
  return least < Math.max(most.top + most.bottom, most.left + most.right) + LEAST_ROOM;
}

function ownPaperOf(rules: PageRules['rules']): OwnPaper {
  const margins: Partial<Margins> = {};
  let size: OwnPaper['size'];
  for (const { selector, ...rule } of rules) {
    if (selector !== '') continue;
    for (const side of SIDES) {
      const pixels = toPixels(rule[side]);
      if (pixels !== undefined) margins[side] = pixels;
    }
    if (rule.size === '') continue;
    const [width, height = width] = rule.size.split(' ').map(toPixels);
    size = width === undefined || height === undefined ? undefined : { width, height };
  }
  return { size, margins };
}

/** Returns the least side of paper that a word of `size` may mean. */
function leastSide(word: string): number {
  if (['', 'auto', 'portrait', 'landscape'].includes(word)) return Infinity;
  return toPixels(word) ?? (/^[a-z][a-z\d-]*$/i.test(word) ? LEAST_NAMED : 0);
}
