import { make } from '../dom.ts';
import type { FieldSchema } from '../reference.ts';
import type { Control, ControlContext } from './control.ts';

/** Checkboxes for any number of choices from a closed set. */
export function severalControl(schema: FieldSchema, { id, describedBy, label }: ControlContext): Control {
  const boxes = (schema.items?.enum ?? []).map((value) => {
    const input = make('input', { id: `${id}-${value}`, type: 'checkbox' });
    return { value, input };
  });
  const labels = boxes.map(({ value, input }) => make('label', {}, input, make('span', {}, value)));
  return {
    element: make(
      'fieldset',
      { class: 'segments', 'aria-describedby': describedBy },
      make('legend', {}, label),
      make('div', { class: 'track is-wrapped' }, ...labels),
    ),
    inputs: boxes.map(({ input }) => input),
    isGroup: true,
    read: () => {
      const chosen = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      return chosen.length === 0 ? undefined : chosen;
    },
    write: (value) => {
      const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
      for (const box of boxes) box.input.checked = chosen.includes(box.value);
    },
  };
}
