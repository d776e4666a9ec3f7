import { make, prose } from '../dom.ts';
import { type FieldSchema, isDefault, labelOf } from '../reference.ts';
import { type Control, type ControlContext, InputProblem } from './control.ts';

export type CreateControl = (schema: FieldSchema, context: ControlContext) => Control;

/** One item of a list whose items have different kinds. */
export interface Entry {
  readonly element: HTMLElement;
  readonly inputs: () => readonly HTMLElement[];
  /**
   * Returns the value.
   * @throws InputProblem that names the entry
   */
  readonly read: () => Readonly<Record<string, unknown>>;
  /** Sets its position in the list. */
  readonly place: (index: number, count: number) => void;
  /** Focuses its move button, which has moved with it. */
  readonly focusMove: (by: number) => void;
}

interface EntryOptions {
  /** Unique id for its inputs. */
  readonly id: string;
  /** Schemas of the kinds. If there are several, each has a constant property that identifies the kind. */
  readonly kinds: readonly FieldSchema[];
  readonly value: unknown;
  readonly createControl: CreateControl;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

interface Member {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly control: Control;
}

/** A card with the kind, the fields of that kind, and buttons to move and remove it. */
export function createEntry({ id, kinds, value, createControl, onMove, onRemove }: EntryOptions): Entry {
  const given: Readonly<Record<string, unknown>> = Object(value);
  let members: readonly Member[] = [];
  let number = 1;

  const kind = make('select', { id });
  for (const [index, schema] of kinds.entries())
    kind.append(make('option', { value: index }, labelOf(tagOf(schema)?.value ?? '')));
  const body = make('div', { class: 'entry-body' });
  const showKind = (values: Readonly<Record<string, unknown>>): void => {
    const schema = kinds[Number(kind.value)];
    const tag = schema && tagOf(schema)?.name;
    const properties = Object.entries(schema?.properties ?? {}).filter(([name]) => name !== tag);
    const example: Readonly<Record<string, unknown>> = Object(schema?.examples?.[0]);
    members = properties.map(([name, own]) => {
      const property = { examples: [example[name]], ...own };
      const context = { id: `${id}-${name}`, label: labelOf(name), describedBy: `${id}-${name}-hint` };
      const control = createControl(property, context);
      control.write(values[name]);
      return { name, schema: property, control };
    });
    body.replaceChildren(...members.map((member) => rowOf(`${id}-${member.name}`, member)));
  };
  const isOf = (schema: FieldSchema): boolean => {
    const tag = tagOf(schema);
    return tag !== undefined && given[tag.name] === tag.value;
  };
  kind.value = `${Math.max(0, kinds.findIndex(isOf))}`;
  kind.addEventListener('change', () => showKind(readable(members)));
  showKind(given);

  kind.hidden = kinds.length === 1;
  const title = kind.hidden ? make('span', {}) : make('label', { for: id });
  const up = button('↑', 'Move up', () => onMove(-1));
  const down = button('↓', 'Move down', () => onMove(1));
  const remove = button('✕', 'Remove', onRemove);

  return {
    element: make('li', { class: 'entry' }, make('div', { class: 'entry-head' }, title, kind, up, down, remove), body),
    inputs: () => [...(kind.hidden ? [] : [kind]), ...members.flatMap(({ control }) => control.inputs)],
    read: () => {
      const tag = tagOf(kinds[Number(kind.value)] ?? {});
      try {
        return { ...(tag && { [tag.name]: tag.value }), ...valuesOf(members) };
      } catch (error) {
        if (error instanceof InputProblem) throw new InputProblem(`No. ${number}: ${error.message}`, { cause: error });
        throw error;
      }
    },
    place: (index, count) => {
      number = index + 1;
      title.textContent = `${number}`;
      if (!kind.hidden) title.setAttribute('aria-label', `Type of entry ${number}`);
      up.disabled = index === 0;
      down.disabled = index === count - 1;
    },
    focusMove: (by) => {
      const [preferred, other] = by < 0 ? [up, down] : [down, up];
      (preferred.disabled ? other : preferred).focus();
    },
  };
}

function button(text: string, name: string, onClick: () => void): HTMLButtonElement {
  const element = make('button', { type: 'button', class: 'small', title: name, 'aria-label': name }, text);
  element.addEventListener('click', onClick);
  return element;
}

/** Returns the property that identifies the kind. */
function tagOf({ properties = {} }: FieldSchema): { readonly name: string; readonly value: string } | undefined {
  for (const [name, schema] of Object.entries(properties))
    if (schema.const !== undefined) return { name, value: schema.const };
  return undefined;
}

function rowOf(id: string, { name, schema, control }: Member): HTMLElement {
  const label = control.isGroup ? undefined : make('label', { for: id }, labelOf(name));
  const hint = make('p', { id: `${id}-hint`, class: 'hint' }, ...prose(schema.description ?? ''));
  const shape = schema.type === 'boolean' && !control.isGroup ? 'member is-switch' : 'member';
  return make('div', { class: shape }, label, control.element, hint);
}

function valuesOf(members: readonly Member[]): Record<string, unknown> {
  const read = members.map(({ name, schema, control }) => ({ name, schema, value: control.read() }));
  const set = read.filter(({ value, schema }) => !isDefault(value, schema));
  return Object.fromEntries(set.map(({ name, value }) => [name, value]));
}

/** Returns the valid values, to keep those that another kind also has. */
function readable(members: readonly Member[]): Record<string, unknown> {
  return Object.assign(
    {},
    ...members.map((member) => {
      try {
        return valuesOf([member]);
      } catch {
        return {}; // incomplete value: the other kind starts without values
      }
    }),
  );
}
