/**
 * Sets the value of a date, time, colour or range field, where the effect of keys depends on the language of the
 * browser. Returns the resulting value; undefined for fields to type into. Runs in the page.
 */
export function setValue(
  element: Element,
  text: string,
): { readonly kind: string; readonly isTaken: boolean } | undefined {
  const isInput = (candidate: Element): candidate is HTMLInputElement => candidate.localName === 'input';
  if (!isInput(element)) return undefined;
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
