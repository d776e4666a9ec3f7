import { make } from '../dom.ts';
import { createFieldRow, type FieldRow } from './field-row.ts';
import { type Field, labelOf } from '../reference.ts';

const TITLES: Readonly<Record<string, string>> = {
  url: 'Address',
  html_content: 'Markup',
  markdown_content: 'Markdown',
};

interface Alternatives {
  readonly element: HTMLElement;
  readonly rows: readonly FieldRow[];
  /** Shows the alternative with this name. */
  readonly show: (name: string) => void;
  /** Name of the visible alternative. The others are not part of the request. */
  readonly shown: () => string;
}

/** A switch between fields that exclude each other, and the row of the selected field. */
export function createAlternatives(fields: readonly Field[]): Alternatives {
  const rows = fields.map(createFieldRow);
  const choices = rows.map(({ field: { name } }) => {
    const radio = make('input', {
      type: 'radio',
      name: 'alternative',
      value: name,
      id: `alternative-${name}`,
    });
    return { name, radio, label: make('label', {}, radio, make('span', {}, TITLES[name] ?? labelOf(name))) };
  });
  const show = (selected: string): void => {
    for (const { name, radio } of choices) radio.checked = name === selected;
    for (const { field, element } of rows) element.hidden = field.name !== selected;
  };
  const track = make('div', { class: 'track' }, ...choices.map(({ label }) => label));
  const element = make(
    'div',
    { class: 'alternatives' },
    make('fieldset', { class: 'segments' }, make('legend', { class: 'unseen' }, 'Source of the page'), track),
    ...rows.map((row) => row.element),
  );
  track.addEventListener('change', (event) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    show(event.target.value);
  });
  show(fields[0]?.name ?? '');
  return {
    element,
    rows,
    show,
    shown: () => choices.find(({ radio }) => radio.checked)?.name ?? '',
  };
}
