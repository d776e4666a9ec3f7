import {
  all,
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
 * Writes the sheets of the page as links to `data:` addresses, because Chrome saves them wrongly (Chromium 153). Those
 * of style elements come first and without their `media`, so that linked sheets win and those for printers apply.
 * Those of shadow trees and constructed ones are missing, and disabled ones apply. Style elements that apply stay,
 * because Chrome saves their pictures and fonts. Runs in the page.
 * @param mark attribute of the links. Default: none
 */
export function writeOutSheets(mark?: string): void {
  announceOwnChange();
  for (const root of rootsOf()) {
    addConstructed(root);
    for (const style of all<HTMLStyleElement>(root, 'style'))
      if (read(Element.prototype, style, 'namespaceURI') === HTML) writeOutStyle(style, root, mark);
    for (const link of all<HTMLLinkElement>(root, 'link[rel~="stylesheet" i]'))
      if (read(HTMLLinkElement.prototype, link, 'sheet')?.disabled === true) setAttribute(link, 'disabled', '');
  }
}

/** Adds constructed sheets as a style element at the end, because they apply after all others. */
function addConstructed(root: Document | ShadowRoot): void {
  const rules = sheetsOf(root).flatMap((sheet) => rulesOf(sheet));
  if (rules.length === 0) return;
  const parent = isDocument(root) ? (first(root, 'head') ?? first(root, ':root')) : root; // pages can remove the root
  if (parent === null) return;
  const style = make(documentOf(root), 'style');
  style.textContent = rules.join('\n');
  Node.prototype.appendChild.call(parent, style);
}

function writeOutStyle(style: HTMLStyleElement, root: Document | ShadowRoot, mark: string | undefined): void {
  const sheet = read(HTMLStyleElement.prototype, style, 'sheet');
  const media = sheet?.media.mediaText ?? '';
  const isEnabled = sheet?.disabled === false; // the policy of the page can refuse a sheet
  if (isEnabled) {
    const css = absolute(rulesOf(sheet).join('\n'), read(Node.prototype, style, 'baseURI'));
    const link = make(documentOf(root), 'link');
    setAttribute(link, 'rel', 'stylesheet');
    if (media !== '') setAttribute(link, 'media', media);
    setAttribute(link, 'href', `data:text/css;charset=utf-8,${encodeURIComponent(css)}`);
    if (mark !== undefined) setAttribute(link, mark, '');
    Element.prototype.after.call(style, link);
  }
  if (!isEnabled || !matchMedia(media).matches) Element.prototype.remove.call(style);
}

function rulesOf({ cssRules }: CSSStyleSheet): string[] {
  return [...cssRules].map(({ cssText }) => cssText);
}

const ADDRESS = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"'()]*))\s*\)/g; // values of variables are as they were written

/** Resolves the addresses in rules, which would be relative to the `data:` address. */
function absolute(css: string, base: string): string {
  return css.replaceAll(ADDRESS, (whole, ...groups: readonly (string | undefined)[]) => {
    const address = groups[0] ?? groups[1] ?? groups[2] ?? '';
    const resolved = address.startsWith('#') ? null : URL.parse(address, base);
    return resolved === null ? whole : `url("${resolved.href}")`;
  });
}

function make(of: Document, name: string): Element {
  return Document.prototype.createElementNS.call(of, HTML, name);
}
