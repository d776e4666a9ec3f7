import {
  bodyOf,
  computed,
  frameOf,
  isDocument,
  isElement,
  isRendered,
  read,
  typeOf,
} from '../../../core/steps/in-page/nodes.ts';
import { rootsOf } from '../../../core/steps/in-page/roots-of.ts';

/**
 * Returns for each of the texts whether the page shows it. The texts are compared in the page, because a message from
 * the browser holds only the beginning of a long text. Runs in the page.
 */
export function areShown(texts: readonly string[]): readonly boolean[] {
  const shown = visibleText();
  return texts.map((text) => shown.includes(text));
}

/**
 * Returns the rendered text of the page, of its open shadow trees and of its same-origin frames, with collapsed white
 * space and without the values of form fields.
 */
function visibleText(): string {
  const texts: string[] = [];
  for (const root of rootsOf()) {
    if (!isShown(root)) continue;
    if (!isDocument(root)) texts.push(...[...root.childNodes].map(textOf));
    else {
      const body = bodyOf(root);
      if (body !== null) texts.push(textOf(body));
    }
  }
  return texts.join(' ').replaceAll(/\s+/g, ' ').trim();
}

function textOf(node: Node): string {
  if (!isElement(node)) return typeOf(node) === Node.TEXT_NODE ? (node.nodeValue ?? '') : '';
  // `innerText` of an element that is not rendered has the text of its scripts and styles.
  if (isRendered(node)) {
    return isHtml(node)
      ? read(HTMLElement.prototype, node, 'innerText')
      : (read(Node.prototype, node, 'textContent') ?? '');
  }
  // The element has no box, but its children have.
  const isBoxless = computed(node).display === 'contents';
  return isBoxless ? [...read(Node.prototype, node, 'childNodes')].map(textOf).join('') : '';
}

function isHtml(element: Element): element is HTMLElement {
  return read(Element.prototype, element, 'namespaceURI') === 'http://www.w3.org/1999/xhtml';
}

function isShown(root: Document | ShadowRoot): boolean {
  const holder = isDocument(root) ? frameOf(root) : root.host;
  return holder === null || isRendered(holder);
}
