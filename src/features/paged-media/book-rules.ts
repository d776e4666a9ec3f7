import type { DocumentOptions } from '../documents/document-fields.ts';
import { sheetOf } from '../documents/sheet.ts';
import { flattenRules } from './flatten-rules.ts';
import type { Leader } from './in-page/draw-leaders.ts';
import type { SheetText } from './read-sheets.ts';

/** Rules of other tools, and of the drafts, that the library does not know. */
const IGNORED =
  /\b(?:bookmark-(?:level|label|state)|footnote-policy|footnote-display|float\s*:\s*(?:top|bottom|inline-footnote|sidenote)|column-break-inside|page-policy|element\([^)]*\b(?:last|first-except)\b|-prince-|-ro-|-ah-)/;
const RULE = /([^{}]+)\{([^{}]*)\}/g;
const LEADER = /content\s*:([^;]*?)leader\(\s*(?:(["'])(.*?)\2|(dotted|solid|space))\s*\)([^;]*)/;
/** Rows with dots, as `drawLeaders` makes them. */
const ROWS =
  '[data-book-row] { display: flex } [data-book-dots] { flex: 1 1 0; min-width: 1em; height: 1lh; overflow: hidden; white-space: nowrap; direction: rtl }';
const NAMED_DOTS: Readonly<Record<string, string>> = { dotted: '. ', solid: '_', space: ' ' };

export interface BookRules {
  readonly sheets: readonly SheetText[];
  readonly leaders: readonly Leader[];
  /** True if rules are left out. */
  readonly hasIgnored: boolean;
}

/** Prepares the style sheets of a book: the sheet of the request comes first, and dots become elements. */
export function bookRules(written: readonly SheetText[], options: DocumentOptions): BookRules {
  const leaders: Leader[] = [];
  const sheets = written.map(({ url, text }) => ({ url, text: withoutLeaders(flattenRules(text), leaders) }));
  const { width, height, margins, isNamed, fixedMargins } = sheetOf(options);
  const size = `size: ${inches(width)} ${inches(height)}`;
  const usual = `@page { ${size}; ${marginsOf(margins)} }`;
  const fixed = `${ROWS} @page { ${isNamed ? size : ''}; ${marginsOf(fixedMargins)} }`;
  return {
    sheets: [{ url: 'about:usual', text: usual }, ...sheets, { url: 'about:fixed', text: fixed }],
    leaders,
    hasIgnored: sheets.some(({ text }) => IGNORED.test(text)),
  };
}

/** Rounded up: content as high as the sheet must fit on it. */
function inches(pixels: number): string {
  return `${Math.ceil((pixels / 96) * 10_000) / 10_000}in`;
}

function marginsOf(margins: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(margins)
    .map(([side, length]) => `margin-${side}: ${length}px`)
    .join('; ');
}

/**
 * Takes `leader()` out of the content of pseudo-elements, which browsers would drop whole. What precedes it stays before
 * the dots, and what follows it comes after them.
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
