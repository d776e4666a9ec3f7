import {
  announceOwnChange,
  documentOf,
  first,
  isDocument,
  read,
  setAttribute,
  sheetsOf,
} from '../../../steps/in-page/nodes.ts';
import { rootsOf } from '../../../steps/in-page/roots-of.ts';

/** With this namespace, also an XML document gets an element of HTML. */
const HTML = 'http://www.w3.org/1999/xhtml';

/**
 * Converts style sheets that a saved page would not contain (Chromium 153): constructed ones of documents to style
 * elements, and all of shadow trees to links to `data:` addresses. Runs in the page.
 */
export function writeOutSheets(): void {
  announceOwnChange();
  for (const root of rootsOf()) {
    const sheets = isDocument(root) ? sheetsOf(root) : [...ownSheets(root), ...sheetsOf(root)];
    const rules = sheets.flatMap(rulesOf);
    if (rules.length === 0) continue;
    const css = rules.join('\n');
    const parent = isDocument(root) ? (first(root, 'head') ?? first(root, ':root')) : root; // pages can remove the root
    if (parent === null) continue;
    const element = make(documentOf(root), isDocument(root) ? 'style' : 'link');
    if (isDocument(root)) element.textContent = css;
    else {
      setAttribute(element, 'rel', 'stylesheet');
      setAttribute(element, 'href', `data:text/css;charset=utf-8,${encodeURIComponent(absolute(css, root))}`);
    }
    Node.prototype.appendChild.call(parent, element);
  }
}

/** Returns the sheets of style elements. Links to sheets are saved. */
function ownSheets(root: ShadowRoot): CSSStyleSheet[] {
  return [...root.styleSheets].filter(({ href }) => href === null);
}

function rulesOf({ cssRules }: CSSStyleSheet): string[] {
  return [...cssRules].map(({ cssText }) => cssText);
}

/** Resolves the addresses in rules, which would be relative to the `data:` address. */
function absolute(css: string, root: ShadowRoot): string {
  const base = read(Node.prototype, root, 'baseURI');
  return css.replaceAll(/url\("([^"]*)"\)/g, (whole, address: string) => {
    const resolved = address.startsWith('#') ? null : URL.parse(address, base);
    return resolved === null ? whole : `url("${resolved.href}")`;
  });
}

function make(of: Document, name: string): Element {
  return Document.prototype.createElementNS.call(of, HTML, name);
}
