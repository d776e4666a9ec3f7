import { attribute, isNamed } from '../../../core/steps/in-page/nodes.ts';

/** State of a checkbox, radio button or switch. */
export interface SwitchState {
  readonly isOn: boolean;
  /** True for a radio button, which is only switched off by another one. */
  readonly isRadio: boolean;
}

/**
 * Sets the value of a date, time, colour or range field, where the effect of keys depends on the language of the
 * browser. Returns the resulting value; undefined for fields to type into. Runs in the page.
 */
export function setValue(
  element: Element,
  text: string,
): { readonly kind: string; readonly isTaken: boolean } | undefined {
  if (!isNamed(element, 'input')) return undefined;
  const input = element;
  const kind = input.type;
  if (!/^(?:date|time|month|week|datetime-local|color|range)$/.test(kind)) return undefined;
  const before = input.value;
  input.value = text;
  const isTaken =
    kind === 'range'
      ? Number.isFinite(Number.parseFloat(text))
      : input.value === text.toLowerCase() || input.value === text;
  if (!isTaken) {
    input.value = before;
    return { kind, isTaken };
  }
  input.focus({ preventScroll: true });
  input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  input.dispatchEvent(new Event('change', { bubbles: true }));
  return { kind, isTaken };
}

/** Returns the state of a checkbox, radio button or switch. Undefined for other elements. Runs in the page. */
export function switchState(element: Element): SwitchState | undefined {
  const control = isNamed(element, 'label') ? element.control : element;
  if (control === null) return undefined;
  if (isNamed(control, 'input') && /^(?:checkbox|radio)$/.test(control.type))
    return { isOn: control.checked, isRadio: control.type === 'radio' };
  const role = attribute(control, 'role') ?? '';
  if (!/^(?:checkbox|switch|radio|menuitemcheckbox|menuitemradio)$/.test(role)) return undefined;
  return { isOn: attribute(control, 'aria-checked') === 'true', isRadio: role.endsWith('radio') };
}
