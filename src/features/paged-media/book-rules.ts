import type { DocumentOptions } from '../documents/document-fields.ts';
import { PAPER_NAMES, PAPER_SIZES } from '../documents/paper-sizes.ts';
import { sheetOf } from '../documents/sheet.ts';
import { flattenRules } from './flatten-rules.ts';
import type { Leader } from './in-page/draw-leaders.ts';
import type { SheetText } from './read-sheets.ts';

/** Rules of other tools, and of the drafts, that the library does not know. */
const IGNORED =
  /\b(?:counters\(|bookmark-(?:level|label|state)|footnote-policy|footnote-display|float\s*:\s*(?:top|bottom|inline-footnote|sidenote)|column-break-inside|page-policy|element\([^)]*\b(?:last|first-except)\b|-prince-|-ro-|-ah-)/g;
const MOST_NAMED = 20;
const RULE = /([^{}]+)\{([^{}]*)\}/g;
const LEADER = /content\s*:([^;]*?)leader\(\s*(?:(["'])(.*?)\2|(dotted|solid|space))\s*\)([^;]*)/;
/** Rows with dots, as `drawLeaders` makes them. */
const ROWS =
  '[data-book-row] { display: flex } [data-book-dots] { flex: 1 1 0; min-width: 1em; height: 1lh; overflow: hidden; white-space: nowrap; direction: rtl }';
const NAMED_DOTS: Readonly<Record<string, string>> = { dotted: '. ', solid: '_', space: ' ' };

export interface BookRules {
  readonly sheets: readonly SheetText[];
  readonly leaders: readonly Leader[];
  /** Names of rules that are left out. */
  readonly ignored: readonly string[];
}

/** Prepares the style sheets of a book: the sheet of the request comes first, and dots become elements. */
export function bookRules(written: readonly SheetText[], options: DocumentOptions): BookRules {
  const leaders: Leader[] = [];
  const sheets = written.map(({ url, text }) => ({
    url,
    text: withoutLeaders(withBox(withLengths(flattenRules(text))), leaders),
  }));
  const { width, height, margins, isNamed, fixedMargins } = sheetOf(options);
  const size = `size: ${inches(width)} ${inches(height)}`;
  const usual = `@page { ${size}; ${marginsOf(margins)} }`;
  const fixed = `${ROWS} @page { ${isNamed ? size : ''}; ${marginsOf(fixedMargins)} }`;
  return {
    sheets: [{ url: 'about:usual', text: usual }, ...sheets, { url: 'about:fixed', text: fixed }],
    leaders,
    ignored: [...new Set(sheets.flatMap(({ text }) => Array.from(text.matchAll(IGNORED), ([name]) => name)))].slice(
      0,
      MOST_NAMED,
    ),
  };
}

/** Rounded up: content as high as the sheet must fit on it. */
function inches(pixels: number): string {
  return `${Math.ceil((pixels / 96) * 10_000) / 10_000}in`;
}

/** A box stands for the body on each page. */
function withBox(text: string): string {
  return text.replaceAll(/(^|[\s,{}])(?:html\s*>?\s*)?body\s*>/g, '$1[data-book-body] >');
}

/** Writes names of paper as lengths: the library knows few, in capitals, and browsers know no others. */
function withLengths(text: string): string {
  return text.replaceAll(/([{;\s]size\s*:)([^;}]+)/g, (whole: string, property: string, value: string) => {
    const words = value.trim().split(/\s+/);
    const name = PAPER_NAMES.find((each) => words.some((word) => word.toLowerCase() === each.toLowerCase()));
    if (name === undefined) return whole;
    const [width, height] = PAPER_SIZES[name].map((side) => `${Math.ceil(side * 10_000) / 10_000}in`);
    return `${property} ${words.includes('landscape') ? `${height} ${width}` : `${width} ${height}`}`;
  });
}

function marginsOf(margins: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(margins)
    .map(([side, length]) => `margin-${side}: ${length}px`)
    .join('; ');
}

/**
 * Takes `leader()` out of the content of pseudo-elements, which browsers would drop whole. What precedes it stays
 * before the dots, and what follows it comes after them.
 */
function withoutLeaders(text: string, leaders: Leader[]): string {
  if (!text.includes('leader(')) return text;
  return text.replaceAll(RULE, (rule: string, selectors: string, declarations: string) => {
    const { 0: found, 1: before = '', 3: quoted, 4: named = '', 5: after = '' } = LEADER.exec(declarations) ?? [];
    if (found === undefined) return rule;
    const dots = quoted === undefined || quoted === '' ? (NAMED_DOTS[named] ?? '. ') : quoted;
    const elements = selectors.split(',').map((selector) => selector.replace(/::?(?:after|before)\s*$/, '').trim());
    for (const element of elements) leaders.push([element, dots]);
    const start = selectors.includes('before') && before.trim() !== '' ? `${selectors}{content:${before}}` : '';
    const others = declarations.replace(found, '');
    return `${start}${elements.map((element) => `${element}::after`).join(',')}{content:${after};${others}}`;
  });
}
