import { make } from '../dom.ts';
import type { FieldSchema } from '../reference.ts';
import type { Control, ControlContext } from './control.ts';

/** Maximum number of choices that are shown as buttons. */
const MAX_SEGMENTS = 5;

interface Choice {
  readonly value: unknown;
  readonly text: string;
}

/** A switch, for booleans with a default. */
export function switchControl(schema: FieldSchema, { id, describedBy }: ControlContext): Control {
  const initial = schema.default === true;
  const input = make('input', { id, type: 'checkbox', role: 'switch', 'aria-describedby': describedBy });
  input.checked = initial;
  return {
    element: input,
    inputs: [input],
    isGroup: false,
    read: () => input.checked,
    write: (value) => {
      input.checked = typeof value === 'boolean' ? value : initial;
    },
  };
}

/** A choice between yes, no and unset. */
export function triStateControl(_schema: FieldSchema, context: ControlContext): Control {
  return segments(context, [
    { value: undefined, text: 'Not set' },
    { value: true, text: 'Yes' },
    { value: false, text: 'No' },
  ]);
}

/** A choice from a closed set: buttons for a few choices, otherwise a list. */
export function choiceControl(schema: FieldSchema, context: ControlContext): Control {
  const named = (schema.enum ?? schema['x-choices'] ?? []).map((value) => ({
    value,
    text: value.replaceAll('_', ' '),
  }));
  const choices = schema.default === undefined ? [{ value: undefined, text: 'Not set' }, ...named] : named;
  return choices.length <= MAX_SEGMENTS
    ? segments(context, choices, schema.default)
    : list(context, choices, schema.default);
}

function segments({ id, describedBy, label }: ControlContext, choices: readonly Choice[], initial?: unknown): Control {
  const radios = choices.map(({ value }, index) => {
    const radio = make('input', { type: 'radio', name: id, id: `${id}-${index}`, value: String(value) });
    radio.checked = value === initial;
    return radio;
  });
  const labels = choices.map(({ text }, index) => make('label', {}, radios[index], make('span', {}, text)));
  const legend = make('legend', {}, label);
  const write = (value: unknown): void => {
    const selected = value === undefined ? initial : value;
    for (const [index, choice] of choices.entries()) {
      const radio = radios[index];
      if (radio !== undefined) radio.checked = choice.value === selected;
    }
  };
  return {
    element: make(
      'fieldset',
      { class: 'segments', 'aria-describedby': describedBy },
      legend,
      make('div', { class: 'track' }, ...labels),
    ),
    inputs: radios,
    isGroup: true,
    read: () => choices[radios.findIndex(({ checked }) => checked)]?.value,
    write,
  };
}

function list({ id, describedBy }: ControlContext, choices: readonly Choice[], initial: unknown): Control {
  const options = choices.map(({ text }, index) => make('option', { value: index }, text));
  const select = make('select', { id, 'aria-describedby': describedBy }, ...options);
  const write = (value: unknown): void => {
    const shown = String(value ?? initial).toLowerCase(); // names of devices have any case
    select.value = `${choices.findIndex((choice) => String(choice.value).toLowerCase() === shown)}`;
  };
  write(undefined);
  return {
    element: select,
    inputs: [select],
    isGroup: false,
    read: () => choices[Number(select.value)]?.value,
    write,
  };
}
