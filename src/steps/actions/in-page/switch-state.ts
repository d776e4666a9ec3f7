/** State of a checkbox, radio button or switch. */
export interface SwitchState {
  readonly isOn: boolean;
  /** True for a radio button, which is only switched off by another one. */
  readonly isRadio: boolean;
}

/** Returns the state of a checkbox, radio button or switch. Undefined for other elements. Runs in the page. */
export function switchState(element: Element): SwitchState | undefined {
  const isLabel = (candidate: Element): candidate is HTMLLabelElement => candidate.localName === 'label';
  const isInput = (candidate: Element): candidate is HTMLInputElement => candidate.localName === 'input';
  const control = isLabel(element) ? element.control : element;
  if (control === null) return undefined;
  if (isInput(control) && /^(?:checkbox|radio)$/.test(control.type))
    return { isOn: control.checked, isRadio: control.type === 'radio' };
  const role = control.getAttribute('role') ?? '';
  if (!/^(?:checkbox|switch|radio|menuitemcheckbox|menuitemradio)$/.test(role)) return undefined;
  return { isOn: control.getAttribute('aria-checked') === 'true', isRadio: role.endsWith('radio') };
}
