import { createControl } from '../controls/create-control.ts';
import { type Control, InputProblem } from '../controls/control.ts';
import { make, prose } from '../dom.ts';
import { type Field, isDefault, labelOf } from '../reference.ts';

/** The row of a field: label, control, explanation and error. */
export interface FieldRow {
  readonly field: Field;
  readonly element: HTMLElement;
  /**
   * Returns the value. Undefined if it is the default.
   * @throws InputProblem
   */
  readonly read: () => unknown;
  readonly write: (value: unknown) => void;
  /** Shows an error. Undefined removes it. */
  readonly complain: (message: string | undefined) => void;
  readonly focus: () => void;
}

/** Creates the row of a field from its schema. */
export function createFieldRow(field: Field): FieldRow {
  const { name, schema } = field;
  const id = `field-${name}`;
  const [hintId, problemId] = [`${id}-hint`, `${id}-problem`];
  const label = labelOf(name);
  const control = createControl(schema, { id, label, describedBy: `${hintId} ${problemId}` });

  const problem = make('p', { id: problemId, class: 'problem', hidden: true });
  const hint = make('p', { id: hintId, class: 'hint' }, ...prose(schema.description ?? ''));
  const caption = make('code', { class: 'name', 'aria-hidden': 'true' }, name);
  const heading = control.isGroup
    ? caption
    : make('div', { class: 'heading' }, make('label', { for: id }, label), caption);
  const element = make(
    'div',
    {
      class: `field ${shapeOf(field, control)}`,
      'data-field': name,
    },
    heading,
    control.element,
    problem,
    hint,
  );
  if (schema['x-sensitive'] === true) {
    element.append(make('p', { class: 'hint' }, 'Not included in the address of this page.'));
  }

  return {
    field,
    element,
    read: () => {
      const value = control.read();
      return isDefault(value, schema) ? undefined : value;
    },
    write: control.write,
    complain: (message) => {
      problem.textContent = message ?? '';
      problem.hidden = message === undefined;
      element.classList.toggle('is-wrong', message !== undefined);
      for (const input of control.inputs) {
        if (message === undefined) input.removeAttribute('aria-invalid');
        else input.setAttribute('aria-invalid', 'true');
      }
    },
    focus: () => control.inputs.find((input) => !input.matches('[type=radio]:not(:checked)'))?.focus(),
  };
}

/** Returns the value of a row, or its problem. */
export function tryRead(row: FieldRow): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: row.read() };
  } catch (error) {
    if (error instanceof InputProblem) return { problem: error.message };
    throw error;
  }
}

/** Returns the layout class of a row. */
function shapeOf({ schema: { type } }: Field, { isGroup }: Control): string {
  if (isGroup) return 'is-group';
  if (type === 'boolean') return 'is-switch';
  return type === 'integer' || type === 'number' ? 'is-number' : '';
}
