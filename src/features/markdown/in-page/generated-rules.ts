import { isSelector } from '../../../core/steps/in-page/find-element.ts';
import { matches, read } from '../../../core/steps/in-page/nodes.ts';

// Which elements may have words that style sheets generate. To read the computed styles of two pseudo-elements for each
// element with text, and its counters, took a tenth of the conversion (40 public articles, Chromium 153, 2026-11-29).

const MOST_RULES = 20_000;
/** Each element is compared with all selectors, and `:has()` searches what is inside of it. */
const MOST_LENGTH = 10_000;
const PSEUDO = /::?(?:before|after)\b/g;
/** Values of `content` that write something. Icons are letters of no language. */
const WRITES = /[\p{L}\p{N}(]/u;

/** What the style sheets of a document generate. */
export interface GeneratedRules {
  /** True if the element may have generated words. */
  readonly mayWrite: (element: Element) => boolean;
  /** True if the element may change counters that are written. */
  readonly mayCount: (element: Element) => boolean;
}

export function generatedRules(root: Document): GeneratedRules {
  const rules = rulesOf(root);
  if (rules === undefined) return { mayWrite: () => true, mayCount: () => true };
  const list = rules.map(elementsOf).join(',');
  const isCostly = list.length > MOST_LENGTH || list.includes(':has(');
  const countsInRoot = rules.some(({ style }) => style.cssText.includes('counter'));
  return {
    mayWrite: (element) => isCostly || !isIn(element, root) || (list !== '' && matches(element, list)),
    mayCount: (element) => countsInRoot || !isIn(element, root),
  };
}

/** False in shadow trees and frames, which have style sheets of their own. */
function isIn(element: Element, root: Document): boolean {
  return Node.prototype.getRootNode.call(element) === root;
}

/** Returns the rules that generate words. Undefined if they can't be read, or are too many. */
function rulesOf(root: Document): readonly CSSStyleRule[] | undefined {
  const found: CSSStyleRule[] = [];
  let left = MOST_RULES;
  const collect = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (left-- <= 0) throw new RangeError('too many rules');
      if (rule instanceof CSSImportRule) {
        if (rule.styleSheet !== null) collect(rule.styleSheet.cssRules);
      } else if (rule instanceof CSSStyleRule) {
        if (rule.cssRules.length > 0) throw new TypeError('nested rules');
        if (generates(rule)) found.push(rule);
      } else if (rule instanceof CSSGroupingRule) collect(rule.cssRules);
    }
  };
  try {
    const sheets = [
      ...read(Document.prototype, root, 'styleSheets'),
      ...read(Document.prototype, root, 'adoptedStyleSheets'),
    ];
    for (const sheet of sheets) collect(sheet.cssRules);
    return found;
  } catch {
    return undefined; // a sheet of another site, for one
  }
}

function generates({ selectorText, style }: CSSStyleRule): boolean {
  if (selectorText.search(PSEUDO) === -1) return false;
  const { content, counterIncrement, counterReset, counterSet } = style;
  const isCounting = [counterIncrement, counterReset, counterSet].some((each) => each !== '');
  return isCounting || (!/^(?:none|normal)$/.test(content) && WRITES.test(content));
}

/** Returns a selector of the elements whose pseudo-elements a rule styles. */
function elementsOf({ selectorText }: CSSStyleRule): string {
  const selectors = selectorText.replaceAll(PSEUDO, '').split(',');
  const selector = selectors.map((each) => (/(?:^|[\s>+~])$/.test(each) ? `${each}*` : each)).join(',');
  return isSelector(selector) ? selector : '*';
}
