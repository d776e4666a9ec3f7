import { make } from '../dom.ts';
import { type FieldSchema, labelOf } from '../reference.ts';
import type { Control, ControlContext } from './control.ts';

const SIDES = ['top', 'right', 'bottom', 'left'];

/** Returns the alternative of a schema that has one length for each side. Undefined: it has none. */
export function sidesOf({ anyOf = [] }: FieldSchema): FieldSchema | undefined {
  return anyOf.find(({ properties = {} }) => SIDES.every((side) => side in properties));
}

/** Inputs for one length for all sides, for each side, and for the switches that the schema has besides. */
export function sidesControl(schema: FieldSchema, { id, describedBy, label }: ControlContext): Control {
  const switches = Object.entries(sidesOf(schema)?.properties ?? {}).filter(([, { type }]) => type === 'boolean');
  const lengths = ['all', ...SIDES].map((name) => ({
    name,
    input: make('input', { id: `${id}-${name}`, type: 'text' }),
  }));
  const ticks = switches.map(([name]) => ({ name, input: make('input', { id: `${id}-${name}`, type: 'checkbox' }) }));
  return {
    element: make(
      'fieldset',
      { class: 'members', 'aria-describedby': describedBy },
      make('legend', {}, label),
      ...[...lengths, ...ticks].map(cellOf),
    ),
    inputs: [...lengths, ...ticks].map(({ input }) => input),
    isGroup: true,
    read: () => {
      const given = lengths.map(({ name, input }) => [name, input.value.trim()]).filter(([, text]) => text !== '');
      const { all, ...sides } = Object.fromEntries(given);
      const ticked = Object.fromEntries(ticks.filter(({ input }) => input.checked).map(({ name }) => [name, true]));
      if (Object.keys(sides).length === 0 && Object.keys(ticked).length === 0) return all;
      const rest = all === undefined ? {} : Object.fromEntries(SIDES.map((side) => [side, all]));
      return { ...rest, ...sides, ...ticked };
    },
    write: (value) => {
      const isObject = typeof value === 'object' && value !== null;
      const given: Readonly<Record<string, unknown>> = isObject ? Object(value) : { all: value };
      for (const { name, input } of lengths) input.value = textOf(given[name]);
      for (const { name, input } of ticks) input.checked = given[name] === true;
    },
  };
}

function cellOf({ name, input }: { readonly name: string; readonly input: HTMLInputElement }): HTMLElement {
  return make('div', { class: 'member' }, make('label', { for: input.id }, labelOf(name)), input);
}

function textOf(length: unknown): string {
  return typeof length === 'string' || typeof length === 'number' ? `${length}` : '';
}
