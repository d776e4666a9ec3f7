import { make } from '../dom.ts';
import { type FieldSchema, labelOf } from '../reference.ts';
import { asPlaceholder, type Control, type ControlContext, InputProblem } from './control.ts';

const HEADER_LINE = /^\s*([^:\s][^:]*?)\s*:\s*(.*?)\s*$/;

/** A list of texts, one per line. */
export function linesControl(schema: FieldSchema, context: ControlContext): Control {
  const [example] = schema.examples ?? [];
  return lines(context, {
    placeholder: Array.isArray(example) ? example.join('\n') : '',
    parse: (given) => given,
    print: (value) => (Array.isArray(value) ? value.join('\n') : ''),
  });
}

/** A list of names and texts: `name: text` on each line. A value that is no text is JSON. */
export function pairsControl(schema: FieldSchema, context: ControlContext): Control {
  return lines(context, {
    placeholder: printPairs(schema.examples?.[0]),
    parse: (given) =>
      Object.fromEntries(
        given.map((line) => {
          const [, name, text] = HEADER_LINE.exec(line) ?? [];
          if (name === undefined || text === undefined) throw new InputProblem('must be lines of the form Name: value');
          return [name, isObjectInJson(text) ? JSON.parse(text) : text];
        }),
      ),
    print: printPairs,
  });
}

function isObjectInJson(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false; // a text that begins like JSON
  }
}

/** JSON input, for types without their own control. */
export function jsonControl(schema: FieldSchema, context: ControlContext): Control {
  const input = area(context, schema.examples?.[0] === undefined ? '' : JSON.stringify(schema.examples[0], null, 1));
  return {
    element: input,
    inputs: [input],
    isGroup: false,
    read: () => {
      if (input.value.trim() === '') return undefined;
      try {
        const value: unknown = JSON.parse(input.value);
        return value;
      } catch (error) {
        throw new InputProblem('must be valid JSON, like the example', { cause: error });
      }
    },
    write: (value) => {
      input.value = value === undefined ? '' : JSON.stringify(value, null, 1);
    },
  };
}

/** Text, or JSON for a structured value. */
export function textOrJsonControl(schema: FieldSchema, context: ControlContext): Control {
  const [example] = schema.examples ?? [];
  const input = make('input', {
    id: context.id,
    type: 'text',
    'aria-describedby': context.describedBy,
    spellcheck: 'false',
    autocapitalize: 'none',
    autocomplete: 'off',
    placeholder: asPlaceholder(typeof example === 'string' ? example : JSON.stringify(example)),
  });
  return {
    element: input,
    inputs: [input],
    isGroup: false,
    read: () => {
      const text = input.value.trim();
      if (!/^[[{]/.test(text)) return text === '' ? undefined : text;
      try {
        const value: unknown = JSON.parse(text);
        return value;
      } catch (error) {
        throw new InputProblem('must be valid JSON, because it starts like JSON', { cause: error });
      }
    },
    write: (value) => {
      if (value === undefined) input.value = '';
      else input.value = typeof value === 'string' ? value : JSON.stringify(value);
    },
  };
}

/** One input for each member of an object, for example of a rectangle. */
export function membersControl(schema: FieldSchema, { id, describedBy, label }: ControlContext): Control {
  const members = Object.entries(schema.properties ?? {}).map(([name, { type }]) => {
    const isNumber = type === 'number' || type === 'integer';
    const kind = isNumber ? 'number' : name === 'password' ? 'password' : 'text';
    const input = make('input', { id: `${id}-${name}`, type: kind, step: 'any', autocomplete: 'off' });
    return { name, isNumber, input };
  });
  const cells = members.map(({ name, input }) =>
    make('div', { class: 'member' }, make('label', { for: input.id }, labelOf(name)), input),
  );
  return {
    element: make(
      'fieldset',
      { class: 'members', 'aria-describedby': describedBy },
      make('legend', {}, label),
      ...cells,
    ),
    inputs: members.map(({ input }) => input),
    isGroup: true,
    read: () => {
      const given = members.filter(({ input }) => input.value !== '');
      if (given.length === 0) return undefined;
      return Object.fromEntries(
        given.map(({ name, isNumber, input }) => [name, isNumber ? Number(input.value) : input.value]),
      );
    },
    write: (value) => {
      const given: Readonly<Record<string, unknown>> = Object(value);
      for (const { name, input } of members) {
        const member = given[name];
        input.value = typeof member === 'string' || typeof member === 'number' ? `${member}` : '';
      }
    },
  };
}

function printPairs(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const pairs = Object.entries(value).map(
    ([name, part]: [string, unknown]) => `${name}: ${typeof part === 'string' ? part : JSON.stringify(part)}`,
  );
  return pairs.join('\n');
}

function lines(
  context: ControlContext,
  {
    placeholder,
    parse,
    print,
  }: {
    readonly placeholder: string;
    readonly parse: (given: string[]) => unknown;
    readonly print: (value: unknown) => string;
  },
): Control {
  const input = area(context, placeholder);
  return {
    element: input,
    inputs: [input],
    isGroup: false,
    read: () => {
      const given = input.value.split('\n').filter((line) => line.trim() !== '');
      return given.length === 0 ? undefined : parse(given.map((line) => line.trim()));
    },
    write: (value) => {
      input.value = print(value);
    },
  };
}

function area({ id, describedBy }: ControlContext, placeholder: string): HTMLTextAreaElement {
  return make('textarea', {
    id,
    'aria-describedby': describedBy,
    rows: 2,
    class: 'code',
    spellcheck: 'false',
    autocapitalize: 'none',
    placeholder: asPlaceholder(placeholder),
  });
}
