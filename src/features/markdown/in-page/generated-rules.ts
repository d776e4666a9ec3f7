import { matches, read, rootElement } from '../../../core/steps/in-page/nodes.ts';

// Which elements may have words that style sheets generate. Computed styles of two pseudo-elements for each element
// with text made a table of 16,000 rows 1.5 times as slow, and needed 200 MB more.

const MOST_RULES = 20_000;
const PSEUDO = /::?(?:before|after)\b/g;
/** Values of `content` that write something. Icons are letters of no language. */
const WRITES = /[\p{L}\p{N}(]/u;

/** Returns a function that tells if an element of a document may have generated words. */
export function mayGenerate(root: Document): (element: Element) => boolean {
  const selectors = selectorsOf(root);
  if (selectors === undefined) return () => true;
  const list = selectors.join(',');
  // Shadow trees and frames have style sheets of their own.
  return (element) => Node.prototype.getRootNode.call(element) !== root || (list !== '' && matches(element, list));
}

/** Returns the selectors of the rules that generate words. Undefined if they can't be read, or are too many. */
function selectorsOf(root: Document): readonly string[] | undefined {
  const selectors: string[] = [];
  let left = MOST_RULES;
  const collect = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (left-- <= 0) throw new RangeError('too many rules');
      if (rule instanceof CSSImportRule) {
        if (rule.styleSheet !== null) collect(rule.styleSheet.cssRules);
      } else if (rule instanceof CSSStyleRule) {
        if (rule.cssRules.length > 0) throw new TypeError('nested rules');
        if (generates(rule)) selectors.push(elementsOf(rule));
      } else if (rule instanceof CSSGroupingRule) collect(rule.cssRules);
    }
  };
  try {
    const sheets = [
      ...read(Document.prototype, root, 'styleSheets'),
      ...read(Document.prototype, root, 'adoptedStyleSheets'),
    ];
    for (const sheet of sheets) collect(sheet.cssRules);
    return selectors;
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
  const root = rootElement();
  if (root !== null) matches(root, selector); // throws for what is no selector any more
  return selector;
}
