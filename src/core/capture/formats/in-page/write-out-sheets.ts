import {
  all,
  announceOwnChange,
  documentOf,
  first,
  isDocument,
  nameOf,
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
  const roots = [...rootsOf()];
  for (const root of roots) addConstructed(root);
  // All are read before the first change: each change makes the next look at the media lay out the page again.
  const runs = roots.flatMap((root) => readRuns(root));
  for (const run of runs) writeOut(run, mark);
  for (const root of roots)
    for (const link of all<HTMLLinkElement>(root, LINKS))
      if (read(HTMLLinkElement.prototype, link, 'sheet')?.disabled === true) setAttribute(link, 'disabled', '');
}

const LINKS = 'link[rel~="stylesheet" i]';
/** Characters of an address. Chrome passes on addresses of up to 2 MB. */
const MOST_CHARACTERS = 1_500_000;

/** Style elements without a linked sheet between them. They become one link: each loads and lays out the page again. */
interface Run {
  readonly styles: { readonly style: Element; readonly applies: boolean }[];
  readonly root: Document | ShadowRoot;
  css: string;
  readonly media: string;
  isOpen: boolean;
}

function readRuns(root: Document | ShadowRoot): readonly Run[] {
  const runs: Run[] = [];
  for (const element of all(root, `style, ${LINKS}`)) {
    const last = runs.at(-1);
    if (!isStyle(element)) {
      if (last !== undefined) last.isOpen = false;
      continue;
    }
    const { css, standsAlone, media, applies } = readStyle(element);
    const fits = last?.isOpen === true && !standsAlone && last.css.length + css.length <= MOST_CHARACTERS;
    const run = fits ? last : { styles: [], root, css: '', media, isOpen: !standsAlone };
    if (!fits) runs.push(run);
    run.styles.push({ style: element, applies });
    run.css += css === '' ? '' : `${css}\n`;
  }
  return runs;
}

function isStyle(element: Element): element is HTMLStyleElement {
  return nameOf(element) === 'style' && read(Element.prototype, element, 'namespaceURI') === HTML;
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

interface ReadStyle {
  /** Encoded for an address. Empty for a sheet that does not apply. */
  readonly css: string;
  /** True if it has rules that must be at the beginning of a sheet. */
  readonly standsAlone: boolean;
  /** For a sheet that stands alone. Others have their media as a rule. */
  readonly media: string;
  readonly applies: boolean;
}

function readStyle(style: HTMLStyleElement): ReadStyle {
  const sheet = read(HTMLStyleElement.prototype, style, 'sheet');
  // The policy of the page can refuse a sheet.
  if (sheet?.disabled !== false) return { css: '', standsAlone: false, media: '', applies: false };
  const { mediaText } = sheet.media;
  const rules = [...sheet.cssRules];
  const standsAlone = rules.some((rule) => rule instanceof CSSImportRule || rule instanceof CSSNamespaceRule);
  const isWrapped = mediaText !== '' && !standsAlone;
  const text = rulesOf(sheet).join('\n');
  const css = absolute(isWrapped ? `@media ${mediaText} {\n${text}\n}` : text, read(Node.prototype, style, 'baseURI'));
  return {
    css: encodeURIComponent(css.toWellFormed()),
    standsAlone,
    media: standsAlone ? mediaText : '',
    applies: matchMedia(mediaText).matches,
  };
}

function writeOut({ styles, root, css, media }: Run, mark: string | undefined): void {
  if (css !== '') {
    const link = make(documentOf(root), 'link');
    setAttribute(link, 'rel', 'stylesheet');
    setAttribute(link, 'href', `data:text/css;charset=utf-8,${css}`);
    if (media !== '') setAttribute(link, 'media', media);
    if (mark !== undefined) setAttribute(link, mark, '');
    const last = styles.at(-1);
    if (last !== undefined) Element.prototype.after.call(last.style, link);
  }
  for (const { style, applies } of styles) if (!applies) Element.prototype.remove.call(style);
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
