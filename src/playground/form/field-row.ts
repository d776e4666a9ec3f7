import { createControl } from '../controls/create-control.ts';
import { type Control, InputProblem } from '../controls/control.ts';
import { make, prose } from '../dom.ts';
import { type Field, isDefault, labelOf } from '../reference.ts';

/** One field of the form: what it is called, what it is set with, what it means and what is wrong with it. */
export interface FieldRow {
  readonly field: Field;
  readonly element: HTMLElement;
  /** The value; undefined when it is the default. @throws InputProblem */
  readonly read: () => unknown;
  readonly write: (value: unknown) => void;
  /** Shows what is wrong, in words; undefined: nothing is. */
  readonly complain: (message: string | undefined) => void;
  readonly focus: () => void;
}

/** The row of a field, made from its schema. */
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
    element.append(make('p', { class: 'hint' }, 'Not kept in the address of this page.'));
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

/** The value of a row, or what keeps it from having one. */
export function tryRead(row: FieldRow): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: row.read() };
  } catch (error) {
    if (error instanceof InputProblem) return { problem: error.message };
    throw error;
  }
}

/** How much room a row takes, and where its label goes. */
function shapeOf({ schema: { type } }: Field, { isGroup }: Control): string {
  if (isGroup) return 'is-group';
  if (type === 'boolean') return 'is-switch';
  return type === 'integer' || type === 'number' ? 'is-number' : '';
}
