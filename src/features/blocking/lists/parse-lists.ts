import { type CosmeticFilter, FiltersEngine, type NetworkFilter, parseFilters } from '@ghostery/adblocker';
import { regexCost } from './regex-cost.ts';

/** Counts of the lines of the lists. */
interface ListCounts {
  /** Rules for requests. */
  readonly network: number;
  /** Rules for elements. */
  readonly cosmetic: number;
  /** Lines that are invalid or of an unknown kind. */
  readonly unread: number;
  /** Rules that are valid but not used. */
  readonly leftOut: number;
}

/** Parsed lists: bytes for `createListEngine`. */
export interface ParsedLists {
  readonly engine: Uint8Array;
  readonly counts: ListCounts;
}

/** The files are no filter lists. The message contains nothing of their content. */
export class NoListError extends Error {
  override readonly name = 'NoListError';
}

/**
 * The third power of `UNWATCHED_LENGTH` takes about 10 ms. 40 of 110,000 rules of EasyList and others exceed it
 * (2026-11-22).
 */
const MAX_REGEX_COST = 3;

/** Maximum characters of a line. The parser takes minutes for a line of millions. */
const MAX_LINE_LENGTH = 100_000;
/** Maximum depth of nested conditions, because the parser checks all surrounding conditions of each rule. */
const MAX_NESTED_CONDITIONS = 50;

/** The closing bracket of each opening one. */
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']' };
/** Conditions of lists (`!#if env_chromium`) that are true here. */
const ENVIRONMENT = new Map([['env_chromium', true]]);

/**
 * Parses lists in EasyList syntax. Takes seconds of processor time and hundreds of MB, so it runs in a child process.
 * @throws NoListError if a text is no list, or no text has a rule
 */
export function parseLists(texts: readonly string[]): ParsedLists {
  if (texts.some(isNoList)) throw new NoListError('one of them is not a filter list, but markup or binary data');
  if (texts.some(isNestedTooDeep))
    throw new NoListError(`one of them has conditions (!#if) nested deeper than ${MAX_NESTED_CONDITIONS}`);
  const shortened = texts.map(withoutLongLines);
  const config = { enableCompression: true, loadPreprocessors: true };
  // Parses each list separately, so that an unclosed condition does not affect the next list.
  const parsed = shortened.map(({ text }) => parseFilters(text, config));
  const read = parsed.flatMap(({ networkFilters, cosmeticFilters, preprocessors, notSupportedFilters }) => {
    const isOff = new Set(
      preprocessors.filter((each) => !each.evaluate(ENVIRONMENT)).flatMap(({ filterIDs }) => [...filterIDs]),
    );
    return {
      network: networkFilters.filter((rule) => !isOff.has(rule.getId())),
      cosmetic: cosmeticFilters.filter((rule) => !isOff.has(rule.getId())),
      unread: notSupportedFilters.length,
    };
  });
  const networkRead = read.flatMap(({ network }) => network);
  const cosmeticRead = read.flatMap(({ cosmetic }) => cosmetic);
  const networkFilters = networkRead.filter(isHonoured);
  const styling = cosmeticRead.filter(
    (rule) => !rule.isScriptInject() && !rule.isExtended() && !rule.isHtmlFiltering(),
  );
  const cosmeticFilters = styling.filter(isWholeRule);
  const broken = styling.length - cosmeticFilters.length;
  const tooLong = shortened.reduce((sum, { dropped }) => sum + dropped, 0);
  const [network, cosmetic] = [networkFilters.length, cosmeticFilters.length];
  if (network + cosmetic === 0) throw new NoListError('they contain no rule');

  const engine = new FiltersEngine({
    networkFilters,
    cosmeticFilters,
    config: { ...config, loadPreprocessors: false },
  });
  const counts = {
    network,
    cosmetic,
    unread: read.reduce((sum, { unread }) => sum + unread, broken + tooLong),
    leftOut: networkRead.length - network + cosmeticRead.length - styling.length,
  };
  return { engine: engine.serialize(), counts };
}

/**
 * Rejects rules that modify requests, because the engine would use some of them to block (`$removeparam,important`) or
 * to allow (`@@$redirect-rule`). Keeps `$redirect`: without its target, it blocks.
 */
function isHonoured(rule: NetworkFilter): boolean {
  if (rule.isRemoveParam() || rule.isCSP() || rule.isHtmlFilteringRule() || rule.isRedirectRule()) return false;
  if (rule.isException() && rule.isRedirect()) return false;
  return !rule.isRegex() || regexCost(rule.getRegex().source) <= MAX_REGEX_COST;
}

function isWholeRule(rule: CosmeticFilter): boolean {
  return hasBalancedBrackets(rule.getSelector()) && hasBalancedBrackets(rule.getStyle());
}

/** The parser would take each line of an error page or archive for a URL pattern. */
function isNoList(text: string): boolean {
  return text.includes('\0') || /^\s*</.test(text);
}

function withoutLongLines(text: string): { readonly text: string; readonly dropped: number } {
  const lines = text.split('\n');
  const kept = lines.filter(({ length }) => length <= MAX_LINE_LENGTH);
  return { text: kept.join('\n'), dropped: lines.length - kept.length };
}

function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (const [directive] of text.matchAll(/^!#(?:if|endif)\b/gm)) {
    depth = directive === '!#if' ? depth + 1 : Math.max(depth - 1, 0);
    if (depth > MAX_NESTED_CONDITIONS) return true;
  }
  return false;
}

/**
 * True if brackets and quotes balance. Otherwise the rule could swallow later rules. Braces never occur in a selector
 * or in declarations.
 */
export function hasBalancedBrackets(text: string): boolean {
  const open: (string | undefined)[] = [];
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\\') at++;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character in CLOSING) open.push(CLOSING[character]);
    else if (character === ')' || character === ']') {
      if (open.pop() !== character) return false;
    } else if (character === '{' || character === '}' || text.startsWith('/*', at)) return false;
  }
  return open.length === 0 && quote === undefined && !text.endsWith('\\');
}
