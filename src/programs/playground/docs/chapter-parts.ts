import { copyText } from '../result/copy-text.ts';
import { make, prose } from '../dom.ts';
import { type DocumentSchema, nameOfSchema } from './open-api.ts';
import { typeInWords } from './schema-words.ts';

/** A chapter of the reference, with the title for the contents. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly element: HTMLElement;
}

export interface ExampleCard {
  readonly element: HTMLElement;
  /** Replaces the code. */
  readonly show: (text: string) => void;
}

interface Described {
  readonly name: string;
  readonly schema: DocumentSchema;
  readonly description?: string | undefined;
  readonly isRequired?: boolean;
  /** Element id, if links lead here. */
  readonly id?: string | undefined;
}

/** A field, parameter or property: name, type, default and description. */
export function fieldEntry({ name, schema, description, isRequired = false, id }: Described): HTMLElement {
  const facts = make('span', { class: 'type' }, ...typeNodes(schema));
  if (isRequired) facts.append(', required');
  if (schema.default !== undefined) facts.append('. Default: ', make('code', {}, JSON.stringify(schema.default)));
  return make(
    'div',
    { class: 'entry', id, 'data-words': `${name} ${description ?? ''}`.toLowerCase() },
    make('dt', {}, make('code', {}, name), ' ', facts),
    make('dd', {}, ...prose(description ?? schema.description ?? '')),
  );
}

/** The properties of an object. */
export function propertyList(schema: DocumentSchema): HTMLElement {
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    fieldEntry({ name, schema: property, description: property.description, isRequired: required.has(name) }),
  );
  return make('dl', { class: 'entries' }, ...entries);
}

/** Code with a title, a button that copies it, and links. */
export function exampleCard(title: string, code: string, ...links: readonly HTMLElement[]): ExampleCard {
  const shown = make('code', {}, code);
  const copy = make('button', { type: 'button', class: 'quiet', 'aria-label': `Copy: ${title}` }, 'Copy');
  copy.addEventListener('click', () => void copyText(shown.textContent, copy));
  const element = make(
    'figure',
    { class: 'card example' },
    make('figcaption', {}, make('span', {}, title), ...links, copy),
    make('pre', { class: 'snippet', tabindex: 0, role: 'region', 'aria-label': title }, shown),
  );
  return {
    element,
    show: (text) => {
      shown.textContent = text;
    },
  };
}

/** Returns the type in words. A schema of the document is a link. */
function typeNodes(schema: DocumentSchema): Node[] {
  const named = nameOfSchema(schema) ?? (schema.items && nameOfSchema(schema.items));
  if (named === undefined) return prose(typeInWords(schema));
  const link = make('a', { href: `#${schemaId(named)}` }, named);
  return schema.items === undefined ? [link] : [document.createTextNode('list of '), link];
}

/** Schemas that other chapters describe. */
const CHAPTERS: Readonly<Record<string, string>> = { CaptureRequest: 'fields', ErrorType: 'errors' };

/** Returns the element id of a schema. */
export function schemaId(name: string): string {
  return CHAPTERS[name] ?? `schema-${name}`;
}
