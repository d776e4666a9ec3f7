import { make } from '../dom.ts';
import type { FieldSchema } from '../reference.ts';
import { asPlaceholder, type Control, type ControlContext, InputProblem } from './control.ts';

/** Longer texts get several lines. */
const MAX_LINE_LENGTH = 1_024;

/** A text input, or a text area for long texts. */
export function textControl(schema: FieldSchema, { id, describedBy }: ControlContext): Control {
  const isAddress = schema.format === 'uri';
  const isLine = isAddress || (schema.maxLength ?? Infinity) <= MAX_LINE_LENGTH;
  const [example, ...more] = (schema.examples ?? []).filter((each) => typeof each === 'string');
  const placeholder = isAddress ? 'https://example.com' : example;
  const shared = {
    id,
    'aria-describedby': describedBy,
    spellcheck: 'false',
    autocapitalize: 'none',
    placeholder: asPlaceholder(placeholder),
  };
  const listId = more.length > 0 ? `${id}-suggestions` : undefined;
  const input = isLine
    ? make('input', { ...shared, type: isAddress ? 'url' : 'text', list: listId, autocomplete: 'off' })
    : make('textarea', { ...shared, rows: 3, class: 'code' });
  const suggestions = [example, ...more].map((value) => make('option', { value }));
  return {
    element: listId === undefined ? input : make('div', {}, input, make('datalist', { id: listId }, ...suggestions)),
    inputs: [input],
    isGroup: false,
    read: () => {
      if (input.value.trim() === '') return undefined;
      return isAddress ? withScheme(input.value.trim()) : isLine ? input.value.trim() : input.value;
    },
    write: (value) => {
      input.value = typeof value === 'string' ? value : '';
    },
  };
}

/** Completes an address as browsers do: `example.com`, `localhost:3000`. */
export function withScheme(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(?:$|[/?#]))/i.test(address) || address.startsWith('/')) return address;
  return `${/^(?:localhost|127\.|\[|\d)/i.test(address) ? 'http' : 'https'}://${address}`;
}

/** A number input. Shows the default as a placeholder. */
export function numberControl(schema: FieldSchema, { id, describedBy }: ControlContext): Control {
  const isInteger = schema.type === 'integer';
  const input = make('input', {
    id,
    type: 'number',
    'aria-describedby': describedBy,
    min: schema.minimum,
    max: schema.maximum,
    step: isInteger ? 1 : 'any',
    inputmode: isInteger ? 'numeric' : 'decimal',
    placeholder: typeof schema.default === 'number' ? `${schema.default}` : 'Not set',
  });
  return {
    element: input,
    inputs: [input],
    isGroup: false,
    read: () => {
      if (input.validity.badInput) throw new InputProblem('must be a number');
      return input.value === '' ? undefined : Number(input.value);
    },
    write: (value) => {
      input.value = typeof value === 'number' ? `${value}` : '';
    },
  };
}
