import { make } from '../dom.ts';
import { createFieldRow, type FieldRow, tryRead } from './field-row.ts';
import { groupFields, labelOf, type Reference } from '../reference.ts';
import { createSheetDrawing } from './sheet-drawing.ts';
import type { Values } from './values.ts';

interface OptionGroups {
  readonly element: HTMLElement;
  readonly rows: readonly FieldRow[];
  /** Shows the number of set options on each group, and redraws the sheet of the PDF group. */
  readonly show: (values: Values) => void;
  /** Shows options that contain these words. False if none does. */
  readonly filter: (words: string) => boolean;
  /** Opens the group of a row. */
  readonly reveal: (row: FieldRow) => void;
}

/** The options that are not in the bar, by group. */
export function createOptionGroups(reference: Reference, inBar: ReadonlySet<string>): OptionGroups {
  const sheet = createSheetDrawing();
  const groups = groupFields(reference).flatMap(({ name, title, hint, fields }) => {
    const rows = fields.filter((field) => !inBar.has(field.name)).map(createFieldRow);
    if (rows.length === 0) return [];
    const badge = make('span', { class: 'badge', hidden: true });
    const summary = make(
      'summary',
      {},
      make('span', { class: 'group-title' }, title),
      badge,
      make('span', { class: 'group-hint' }, hint),
    );
    const drawing = name === 'document' ? sheet.element : undefined;
    const body = make('div', { class: 'fields' }, drawing, ...rows.map(({ element }) => element));
    return [{ rows, badge, details: make('details', { 'data-group': name }, summary, body) }];
  });
  const first = groups.find(({ details }) => details.dataset['group'] === 'area') ?? groups[0];
  // One group is open as an example, except on phones, where it would hide the result.
  if (first !== undefined) first.details.open = matchMedia('(min-width: 900px)').matches;
  let openBefore: ReadonlySet<HTMLDetailsElement> | undefined;

  return {
    element: make('div', { class: 'groups' }, ...groups.map(({ details }) => details)),
    rows: groups.flatMap(({ rows }) => rows),
    show: (values) => {
      sheet.draw(values);
      for (const { rows, badge } of groups) {
        const set = rows.filter((row) => isSet(row)).length;
        badge.hidden = set === 0;
        badge.textContent = `${set} set`;
      }
    },
    filter: (given) => {
      const words = given
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '');
      openBefore ??= new Set(groups.filter(({ details }) => details.open).map(({ details }) => details));
      let found = 0;
      for (const { rows, details } of groups) {
        const matches = rows.filter((row) => {
          const isMatch = words.every((word) => searchText(row).includes(word));
          row.element.hidden = !isMatch;
          return isMatch;
        });
        found += matches.length;
        details.hidden = matches.length === 0;
        details.open = words.length === 0 ? openBefore.has(details) : matches.length > 0;
      }
      if (words.length === 0) openBefore = undefined;
      return found > 0;
    },
    reveal: (row) => {
      const group = groups.find(({ rows }) => rows.includes(row));
      if (group === undefined) return;
      group.details.hidden = false;
      group.details.open = true;
      row.element.hidden = false;
    },
  };
}

function isSet(row: FieldRow): boolean {
  const result = tryRead(row);
  return 'problem' in result || result.value !== undefined;
}

function searchText({ field: { name, schema } }: FieldRow): string {
  return `${name} ${labelOf(name)} ${schema.description ?? ''}`.toLowerCase();
}
