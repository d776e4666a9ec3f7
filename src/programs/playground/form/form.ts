import { createAlternatives } from './alternatives.ts';
import { byId } from '../dom.ts';
import { createFieldRow, type FieldRow, tryRead } from './field-row.ts';
import { createPresets } from './presets.ts';
import { createOptionGroups } from './option-groups.ts';
import type { FieldProblems } from './problems.ts';
import type { Reference } from '../reference.ts';
import type { Values } from './values.ts';

/** Fields beside the address that most users set. */
const BAR_FIELDS = ['format'];

/** Problems of an empty source of the page. */
const MISSING: Readonly<Record<string, string>> = {
  url: 'Enter an address, or choose Markup or Markdown.',
  html_content: 'Enter HTML, or choose Address.',
  markdown_content: 'Enter Markdown, or choose Address.',
};

export interface Form {
  /** Returns the values. Undefined if some are invalid, and marks them. */
  readonly read: () => Values | undefined;
  /** Returns the valid values. */
  readonly peek: () => Values;
  readonly write: (values: Values) => void;
  /** Shows errors of fields, and scrolls to the first one. */
  readonly complain: (problems: FieldProblems) => void;
  readonly focus: () => void;
}

/** Builds the form in the page. `onChange` is called after each change. */
export function createForm(reference: Reference, onChange: () => void): Form {
  const { fields, alternatives: names } = reference;
  const alternatives = createAlternatives(fields.filter(({ name }) => names.includes(name)));
  const barRows = fields.filter(({ name }) => BAR_FIELDS.includes(name)).map(createFieldRow);
  const groups = createOptionGroups(reference, new Set([...names, ...BAR_FIELDS]));
  const presets = createPresets(reference, (values) => {
    const shown = alternatives.shown();
    write({ ...collect().values, ...values });
    alternatives.show(shown); // also if it is empty
  });
  const rows = [...alternatives.rows, ...barRows, ...groups.rows];
  const inRequest = (row: FieldRow): boolean =>
    !alternatives.rows.includes(row) || row.field.name === alternatives.shown();

  byId('command', HTMLElement).prepend(alternatives.element, ...barRows.map(({ element }) => element));
  byId('groups', HTMLElement).append(groups.element);
  byId('presets', HTMLElement).append(presets.element);
  const filter = byId('filter', HTMLInputElement);
  filter.addEventListener('input', () => {
    byId('nothing-found', HTMLElement).hidden = groups.filter(filter.value);
  });
  const changed = (event?: Event): void => {
    if (event?.target === filter) return;
    const row = rows.find(({ element }) => event?.target instanceof Node && element.contains(event.target));
    row?.complain(undefined);
    for (const other of alternatives.rows) if (!inRequest(other)) other.complain(undefined);
    const { values } = collect();
    groups.show(values);
    presets.show(values);
    onChange();
  };
  const form = byId('form', HTMLFormElement);
  form.addEventListener('input', changed);
  form.addEventListener('change', changed);

  const complain = (problems: FieldProblems): void => {
    const wrong = rows.filter(({ field }) => problems.has(field.name));
    for (const row of rows) row.complain(problems.get(row.field.name));
    const [first] = wrong;
    if (first === undefined) return;
    if (alternatives.rows.includes(first)) alternatives.show(first.field.name);
    for (const row of wrong) groups.reveal(row);
    first.focus();
    first.element.scrollIntoView({ block: 'center' });
  };

  const collect = (): { readonly values: Values; readonly problems: Map<string, string> } => {
    const problems = new Map<string, string>();
    const entries = rows.filter(inRequest).flatMap((row): [string, unknown][] => {
      const result = tryRead(row);
      if ('problem' in result) problems.set(row.field.name, result.problem);
      else if (result.value !== undefined) return [[row.field.name, result.value]];
      return [];
    });
    return { values: Object.fromEntries(entries), problems };
  };

  const write = (values: Values): void => {
    for (const row of rows) {
      row.write(values[row.field.name]);
      row.complain(undefined);
    }
    alternatives.show(names.find((name) => values[name] !== undefined) ?? names[0] ?? '');
    changed();
  };

  return {
    read: () => {
      const { values, problems } = collect();
      const shown = alternatives.shown();
      if (values[shown] === undefined && values['template'] === undefined && !problems.has(shown))
        problems.set(shown, MISSING[shown] ?? 'must not be empty');
      complain(problems);
      return problems.size === 0 ? values : undefined;
    },
    peek: () => collect().values,
    write,
    complain,
    focus: () => alternatives.rows.find(inRequest)?.focus(),
  };
}
