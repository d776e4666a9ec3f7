import { make } from '../dom.ts';
import type { FieldSchema } from '../reference.ts';
import { createEntry, type CreateControl, type Entry } from './entry.ts';
import type { Control, ControlContext } from './control.ts';

/** A list of objects of one or several kinds, as movable cards. */
export function sequenceControl(schema: FieldSchema, context: ControlContext, createControl: CreateControl): Control {
  const { id, describedBy, label } = context;
  const kinds = schema.items?.oneOf ?? [schema.items ?? {}];
  const cards = make('ol', { class: 'entries' });
  let entries: readonly Entry[] = [];
  let made = 0;

  /** Shows exactly these entries in this order. */
  const show = (newEntries: readonly Entry[]): void => {
    entries = newEntries;
    cards.replaceChildren(...entries.map(({ element }) => element));
    for (const [index, entry] of entries.entries()) entry.place(index, entries.length);
  };
  const changed = (): void => {
    cards.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const create = (value: unknown): Entry => {
    const entry = createEntry({
      id: `${id}-${made++}`,
      kinds,
      value,
      createControl,
      onMove: (by) => {
        const at = entries.indexOf(entry);
        show(entries.toSpliced(at, 1).toSpliced(at + by, 0, entry));
        entry.focusMove(by);
        changed();
      },
      onRemove: () => {
        const at = entries.indexOf(entry);
        show(entries.toSpliced(at, 1));
        (entries[Math.min(at, entries.length - 1)]?.inputs()[0] ?? add).focus();
        changed();
      },
    });
    return entry;
  };

  const add = make('button', { id, type: 'button' }, 'Add');
  add.addEventListener('click', () => {
    const entry = create(undefined);
    show([...entries, entry]);
    entry.inputs()[0]?.focus();
    changed();
  });
  return {
    element: make(
      'fieldset',
      { class: 'sequence', 'aria-describedby': describedBy },
      make('legend', {}, label),
      cards,
      add,
    ),
    get inputs() {
      return [...entries.flatMap((entry) => entry.inputs()), add];
    },
    isGroup: true,
    read: () => (entries.length === 0 ? undefined : entries.map((entry) => entry.read())),
    write: (value) => {
      show(Array.isArray(value) ? value.map(create) : []);
    },
  };
}
