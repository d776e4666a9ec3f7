import type { RootsOf } from '../../../steps/in-page/roots-of.ts';

/**
 * Returns the rendered text of the page, of its open shadow trees and of its same-origin frames, with collapsed white
 * space and without the values of form fields. Properties are read by their prototypes, because the fields of a form
 * can have their names. Runs in the page.
 */
export function visibleText(rootsOf: RootsOf): string {
  const read = <P extends object, K extends keyof P>(prototype: P, node: Node, name: K): P[K] =>
    Reflect.get(prototype, name, node);
  const isElement = (node: Node): node is Element => read(Node.prototype, node, 'nodeType') === Node.ELEMENT_NODE;
  const isHtml = (element: Element): element is HTMLElement =>
    read(Element.prototype, element, 'namespaceURI') === 'http://www.w3.org/1999/xhtml';
  const isRendered = (element: Element): boolean => Element.prototype.checkVisibility.call(element);
  const textOf = (node: Node): string => {
    if (!isElement(node)) return node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '') : '';
    // `innerText` of an element that is not rendered has the text of its scripts and styles.
    if (isRendered(node)) {
      return isHtml(node)
        ? read(HTMLElement.prototype, node, 'innerText')
        : (read(Node.prototype, node, 'textContent') ?? '');
    }
    // The element has no box, but its children have.
    const isBoxless = getComputedStyle(node).display === 'contents';
    return isBoxless ? [...read(Node.prototype, node, 'childNodes')].map(textOf).join('') : '';
  };
  const isShown = (root: Document | ShadowRoot): boolean => {
    const holder = 'host' in root ? root.host : root.defaultView?.frameElement;
    return holder === undefined || holder === null || isRendered(holder);
  };
  const texts: string[] = [];
  for (const root of rootsOf(document)) {
    if (!isShown(root)) continue;
    if ('host' in root) texts.push(...[...root.childNodes].map(textOf));
    else if (root.body !== null) texts.push(textOf(root.body));
  }
  return texts.join(' ').replaceAll(/\s+/g, ' ').trim();
}

/**
 * Returns for each of the texts whether the page shows it. The texts are compared in the page, because a message from
 * the browser holds only the beginning of a long text. Runs in the page.
 */
export function areShown(texts: readonly string[], readText: typeof visibleText, rootsOf: RootsOf): readonly boolean[] {
  const shown = readText(rootsOf);
  return texts.map((text) => shown.includes(text));
}
