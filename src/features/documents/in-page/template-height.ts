import { announceOwnChange, boxOf, rootElement, setStyles } from '../../../core/steps/in-page/nodes.ts';
import { parseMarkup } from './neutral-markup.ts';

/** Style of the margin boxes, as the print has it. */
const STYLE = {
  all: 'initial',
  display: 'block',
  position: 'absolute',
  visibility: 'hidden',
  font: '10px/1.2 sans-serif',
};

/**
 * Returns the height of a neutral template at this width, in CSS pixels. Chrome lays it out in a document that can't be
 * measured. Here, no style of the page applies to it. Runs in the page.
 */
export function templateHeight(markup: string, width: number): number {
  const root = rootElement();
  if (root === null) return 0;
  announceOwnChange();
  const host = document.createElement('div');
  setStyles(host, { ...STYLE, width: `${width}px` });
  const { head, body } = parseMarkup(markup);
  host.attachShadow({ mode: 'closed' }).append(...head.childNodes, ...body.childNodes);
  Element.prototype.append.call(root, host);
  const { height } = boxOf(host);
  host.remove();
  return height;
}
