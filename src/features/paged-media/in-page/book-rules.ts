import { flattenRules } from './flatten-rules.ts';
import type { Leader } from './draw-leaders.ts';

/** Rules of other tools, and of the drafts, that the library does not know. */
const IGNORED =
  /\b(?:counters\(|bookmark-(?:level|label|state)|footnote-policy|footnote-display|float\s*:\s*(?:top|bottom|inline-footnote|sidenote)|column-break-inside|page-policy|element\([^)]*\b(?:last|first-except)\b|-prince-|-ro-|-ah-)/g;
const MOST_NAMED = 20;
const RULE = /([^{}]+)\{([^{}]*)\}/g;
const LEADER = /content\s*:([^;]*?)leader\(\s*(?:(["'])(.*?)\2|(dotted|solid|space))\s*\)([^;]*)/;
const NAMED_DOTS: Readonly<Record<string, string>> = { dotted: '. ', solid: '_', space: ' ' };

/** Names of paper, and their sides in inches. */
export type Papers = Readonly<Record<string, readonly [width: number, height: number]>>;

/** A style sheet: its address, and its rules. */
export type Sheet = readonly [url: string, text: string];

interface BookRules {
  readonly sheets: readonly Sheet[];
  readonly leaders: readonly Leader[];
  /** Names of rules that are left out. */
  readonly ignored: readonly string[];
}

/** Prepares the style sheets of a book for the library. Dots become elements. */
export function bookRules(written: readonly Sheet[], papers: Papers): BookRules {
  const leaders: Leader[] = [];
  const sheets = written.map(
    ([url, text]) => [url, withoutLeaders(withBox(withLengths(flattenRules(text), papers)), leaders)] as const,
  );
  const named = sheets.flatMap(([, text]) => Array.from(text.matchAll(IGNORED), ([name]) => name));
  return { sheets, leaders, ignored: [...new Set(named)].slice(0, MOST_NAMED) };
}

/** A box stands for the body on each page. */
function withBox(text: string): string {
  return text.replaceAll(/(^|[\s,{}])(?:html\s*>?\s*)?body\s*>/g, '$1[data-book-body] >');
}

/** Writes names of paper as lengths: the library knows few, in capitals, and browsers know no others. */
function withLengths(text: string, papers: Papers): string {
  return text.replaceAll(/([{;\s]size\s{0,9}:)([^;}]{1,200})/g, (whole: string, property: string, value: string) => {
    const words = value.trim().split(/\s+/);
    const isNamed = (name: string): boolean => words.some((word) => word.toLowerCase() === name.toLowerCase());
    const [, sides] = Object.entries(papers).find(([name]) => isNamed(name)) ?? [];
    if (sides === undefined) return whole;
    const [width, height] = sides.map((side) => `${Math.ceil(side * 10_000) / 10_000}in`);
    return `${property} ${words.includes('landscape') ? `${height} ${width}` : `${width} ${height}`}`;
  });
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
