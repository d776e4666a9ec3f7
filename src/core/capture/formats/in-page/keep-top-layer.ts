import { setAttribute } from '../../../steps/in-page/nodes.ts';
import { everywhere } from '../../../steps/in-page/roots-of.ts';

/** Writes the place of modal dialogs and open popovers into their style: a copy has no top layer. Runs in the page. */
export function keepTopLayer(): void {
  for (const element of everywhere<HTMLElement>('dialog:modal, [popover]:popover-open')) {
    const { display, position, inset, margin, maxWidth, maxHeight, overflow, boxShadow } = getComputedStyle(element);
    const { backgroundColor } = getComputedStyle(element, '::backdrop');
    const shadow = `${boxShadow === 'none' ? '' : `${boxShadow}, `}0 0 0 200vmax ${backgroundColor}`;
    const own = Element.prototype.getAttribute.call(element, 'style') ?? '';
    setAttribute(
      element,
      'style',
      `${own}; display: ${display}; position: ${position}; inset: ${inset}; margin: ${margin}; max-width: ${maxWidth}; ` +
        `max-height: ${maxHeight}; overflow: ${overflow}; box-shadow: ${shadow}; z-index: 2147483647`,
    );
  }
}
