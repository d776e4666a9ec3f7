import { make, prose } from '../dom.ts';
import { groupFields, type Reference } from '../reference.ts';
import { type Constant, nameOfSchema, type OpenApi, type Operation } from './open-api.ts';
import type { Examples } from './examples.ts';
import { type Chapter, fieldEntry, propertyList, schemaId } from './chapter-parts.ts';

/** Most fields of an example, so that it stays easy to read. */
const EXAMPLE_FIELDS = 4;
/** Schemas that have chapters of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set(['CaptureRequest', 'ErrorType']);

/** The groups of capture fields, each beside an example of the request. */
export function fieldChapters(reference: Reference, examples: Examples): readonly Chapter[] {
  return groupFields(reference)
    .filter(({ fields }) => fields.length > 0)
    .map(({ name, title, hint, fields }) => {
      const entries = fields.map((field) =>
        fieldEntry({ ...field, description: field.schema.description, id: `field-${field.name}` }),
      );
      const withExample = fields.filter(({ schema }) => schema.examples !== undefined);
      const own = withExample.slice(0, EXAMPLE_FIELDS).map((field) => [field.name, field.schema.examples?.[0]]);
      const isSource = fields.some((field) => reference.alternatives.includes(field.name));
      const values: Readonly<Record<string, unknown>> = isSource
        ? { url: 'https://example.com/' }
        : { url: 'https://example.com/', ...Object.fromEntries(own) };
      const id = `fields-${name}`;
      const list = make('dl', { class: 'entries' }, ...entries);
      return beside(
        { id, title },
        [make('p', { class: 'hint' }, hint), list],
        [examples.ofCapture(`${title}: POST /capture`, values)],
      );
    });
}

/** The routes of a tag. */
export function routeChapters({ tags, paths }: OpenApi, examples: Examples): readonly Chapter[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags.flatMap(({ name }) =>
    operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ path, method, operation }) => routeChapter({ method: method.toUpperCase(), path, operation, examples })),
  );
}

interface RouteOptions {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly examples: Examples;
}

function routeChapter({ method, path, operation, examples }: RouteOptions): Chapter {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const line = make('p', { class: 'route' }, make('span', { class: 'method' }, method), make('code', {}, path));
  const words: HTMLElement[] = [
    line,
    make('p', {}, ...prose(description ?? '')),
    make('p', { class: 'hint' }, accessOf(operation)),
  ];
  const own = parameters.filter(({ name }) => !isCaptureField(operationId, name));
  if (own.length < parameters.length)
    words.push(make('p', {}, 'Query: the ', make('a', { href: '#fields' }, 'fields')));
  if (own.length > 0) {
    const entries = own.map(({ required, ...each }) => fieldEntry({ ...each, isRequired: required === true }));
    words.push(make('h3', {}, 'Parameters'), make('dl', { class: 'entries' }, ...entries));
  }
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
    const name = schema && nameOfSchema(schema);
    const link = name === undefined ? '' : make('a', { href: `#${schemaId(name)}` }, name);
    words.push(make('p', {}, 'Body: ', make('code', {}, type), ' ', link));
  }
  words.push(
    make('h3', {}, 'Answers'),
    make('dl', { class: 'entries answers' }, ...Object.entries(responses).map(answer)),
  );
  const bodies = Object.values(requestBody?.content['application/json']?.examples ?? {});
  const query = parameters.some(({ name }) => name === 'url') ? '?url=https%3A%2F%2Fexample.com%2F' : '';
  const call = {
    method,
    path: path + query,
    needsToken: !isOpen(operation),
    isFile: Object.keys(responses['200']?.content ?? {}).some((type) => !type.startsWith('application/json')),
  };
  const cards =
    bodies.length > 0
      ? bodies.map(({ summary: title = summary, value }) => examples.ofRoute({ ...call, title, value }))
      : [examples.ofRoute({ ...call, title: `${method} ${path}` })];
  return beside({ id: operationId, title: summary }, words, cards);
}

function answer([status, { description, content = {} }]: readonly [
  string,
  Operation['responses'][string],
]): HTMLElement {
  const names = Object.values(content).flatMap(({ schema }) => (schema && nameOfSchema(schema)) ?? []);
  const links = names.map((name) => make('a', { href: `#${schemaId(name)}` }, name));
  return make(
    'div',
    { class: 'entry' },
    make('dt', {}, make('code', {}, status), ...links.flatMap((link) => [' ', link])),
    make('dd', {}, ...prose(description)),
  );
}

/** `GET /capture` has all capture fields as parameters. */
function isCaptureField(operationId: string, name: string): boolean {
  return operationId === 'captureByLink' && name !== 'expires';
}

function isOpen({ security }: Operation): boolean {
  return security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);
}

function accessOf(operation: Operation): string {
  if (isOpen(operation)) return 'Needs no token.';
  const { security } = operation;
  const byLink = security.some((scheme) => 'signature' in scheme) ? ', or a signed link' : '';
  return `Needs the header Authorization: Bearer <token>${byLink}.`;
}

/** Objects of requests and answers. */
export function schemaChapters({ components: { schemas } }: OpenApi): readonly Chapter[] {
  return Object.entries(schemas)
    .filter(([name]) => !ELSEWHERE.has(name))
    .map(([name, schema]) =>
      beside({ id: schemaId(name), title: name }, [
        make('p', {}, ...prose(schema.description ?? '')),
        propertyList(schema),
      ]),
    );
}

/** The chapter of all errors, or of all warnings. */
export function constantChapter(id: string, title: string, constants: readonly Constant[]): Chapter {
  const entries = constants.map(({ const: name, description }) =>
    make(
      'div',
      { class: 'entry', id: name, 'data-words': `${name} ${description}`.toLowerCase() },
      make('dt', {}, make('code', {}, name)),
      make('dd', {}, ...prose(description)),
    ),
  );
  const guide = make('a', { href: `guides/troubleshooting#${id}` }, 'What to do');
  return beside({ id, title }, [make('p', { class: 'hint' }, guide), make('dl', { class: 'entries' }, ...entries)]);
}

function beside(
  { id, title }: Omit<Chapter, 'element'>,
  words: readonly Node[],
  examples: readonly HTMLElement[] = [],
): Chapter {
  const element = make(
    'section',
    { class: 'chapter', 'aria-labelledby': id },
    make('div', { class: 'words' }, make('h2', { id, tabindex: -1 }, title), ...words),
    examples.length === 0 ? undefined : make('div', { class: 'examples' }, ...examples),
  );
  return { id, title, element };
}
