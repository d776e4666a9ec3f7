import { announceOwnChange, attribute, setAttribute } from '../../../steps/in-page/nodes.ts';
import { everywhere } from '../../../steps/in-page/roots-of.ts';

/** Removes `hidden` from elements that styles show: Chrome saves no element with it. Runs in the page. */
export function keepShown(): void {
  announceOwnChange();
  for (const element of everywhere('[hidden]:not([hidden="until-found" i])')) {
    const { display } = getComputedStyle(element);
    if (display === 'none') continue;
    Element.prototype.removeAttribute.call(element, 'hidden');
    setAttribute(element, 'style', `${attribute(element, 'style') ?? ''}; display: ${display}`);
  }
}
