import { closest, isNamed, read } from '../../../core/steps/in-page/nodes.ts';

/** Result of choosing options. `position`: index of the requested value that failed. */
export type Choice =
  | { readonly state: 'chosen' }
  | { readonly state: 'no_select' }
  | { readonly state: 'single' }
  | { readonly state: 'missing' | 'disabled'; readonly position: number };

/**
 * Selects the options with these values or labels, and no others, and fires the events of a user's choice. Runs in the
 * page.
 */
export function chooseOptions(element: Element, values: readonly string[]): Choice {
  if (!isNamed(element, 'select')) return { state: 'no_select' };
  const select = element;
  if (values.length > 1 && !select.multiple) return { state: 'single' };
  const options = [...select.options];
  const chosen = new Set<HTMLOptionElement>();
  for (const [position, value] of values.entries()) {
    const label = value.trim();
    const option = options.find((each) => each.value === value) ?? options.find((each) => each.label.trim() === label);
    if (option === undefined) return { state: 'missing', position };
    const group = closest(option, 'optgroup');
    if (option.disabled || (group !== null && read(HTMLOptGroupElement.prototype, group, 'disabled')))
      return { state: 'disabled', position };
    chosen.add(option);
  }
  select.focus({ preventScroll: true });
  for (const option of options) {
    const isChosen = chosen.has(option);
    if (option.selected !== isChosen && (isChosen || select.multiple)) option.selected = isChosen;
  }
  select.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  select.dispatchEvent(new Event('change', { bubbles: true }));
  return { state: 'chosen' };
}
