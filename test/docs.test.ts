import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillIn, renderTables } from '../scripts/docs/tables.mjs';
import { captureSchema, FIELD_NAMES } from '../src/capture/request/options.ts';
import { WARNINGS } from '../src/capture/common/step.ts';
import { SETTINGS } from '../src/config-settings.ts';
import { ERROR_CATALOGUE } from '../src/errors.ts';
import { RESPONSE_HEADERS } from '../src/http/response-headers.ts';

const ROOT = join(import.meta.dirname, '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const tables = renderTables({
  captureSchema,
  settings: SETTINGS,
  errors: ERROR_CATALOGUE,
  warnings: WARNINGS,
  headers: RESPONSE_HEADERS,
});

describe('README.md', () => {
  it('has the tables that the code gives; if not, run `npm run docs`', () => {
    expect(readme).toBe(fillIn(readme, tables));
  });

  it.each([
    ['fields', FIELD_NAMES],
    ['settings', SETTINGS.map(({ name }) => name)],
    ['errors', Object.keys(ERROR_CATALOGUE)],
    ['warnings', Object.keys(WARNINGS)],
    ['headers', RESPONSE_HEADERS.map(({ name }) => name)],
  ] as const)('has a row for each of the %s', (name, expected) => {
    const rows = tables[name].split('\n').slice(2);

    for (const each of expected)
      expect(rows.filter((row) => row.includes(`| \`${each}\` |`))).toHaveLength(1);
    expect(rows).toHaveLength(expected.length);
    expect(tables[name]).not.toContain('undefined');
  });

  it('and the other documents refer to files, and headings in them, that exist', () => {
    const documents = [
      'README.md',
      'SECURITY.md',
      'CONTRIBUTING.md',
      ...globSync('docs/*.md', { cwd: ROOT }),
    ];
    const links = documents.flatMap((document) =>
      [...readText(document).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(
        ([, target = '', anchor = '']) => ({
          document,
          path: target === '' ? document : join(dirname(document), target),
          anchor,
        }),
      ),
    );

    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
    const broken = links.filter(({ path, anchor }) => anchor !== '' && !anchorsOf(path).includes(anchor));
    expect(broken).toEqual([]);
  });
});

describe('docs/troubleshooting.md', () => {
  const headings = [...readText('docs/troubleshooting.md').matchAll(/^### (.+)$/gm)].map(
    ([, heading]) => heading,
  );

  it('has a word on every error and every warning, and on nothing else', () => {
    expect(headings).toEqual([...Object.keys(ERROR_CATALOGUE), ...Object.keys(WARNINGS)]);
  });
});

describe('docs/coming-from.md', () => {
  const rows = readText('docs/coming-from.md')
    .split('\n')
    .filter((line) => /^\| [^-]/.test(line));

  it('names only fields, settings and headers that there are', () => {
    const ours = rows.map((row) => row.split(' | ').at(-1) ?? '').filter((cell) => !cell.startsWith('Here'));
    const named = ours.flatMap((cell) =>
      [
        ...cell.matchAll(
          /`([A-Za-z]\w*(?:[_-]\w+)+|url|format|clip|selector|cookies|locale|timezone|javascript)\b/g,
        ),
      ].map(([, name = '']) => name),
    );

    const known = new Set([
      ...FIELD_NAMES,
      ...SETTINGS.map(({ name }) => name),
      ...RESPONSE_HEADERS.map(({ name }) => name),
      'mostly_idle',
    ]);
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('RESPONSE_HEADERS', () => {
  it('has every header of ours that the code sets', () => {
    const source = globSync('src/http/*.ts', { cwd: ROOT }).map((file) =>
      readFileSync(join(ROOT, file), 'utf8'),
    );
    const set = source.flatMap((text) => [...text.matchAll(/'(X-[A-Z][\w-]+)'/g)].map(([, name]) => name));

    const listed = new Set<string | undefined>(RESPONSE_HEADERS.map(({ name }) => name));
    expect(set.length).toBeGreaterThan(5);
    expect(set.filter((name) => !listed.has(name))).toEqual([]);
  });
});

describe('fillIn', () => {
  it('replaces what is between the markers, and nothing else', () => {
    const text = 'a <!-- errors:start -->\n\nold\n\n<!-- errors:end --> b';

    expect(fillIn(text, { errors: 'new' })).toBe('a <!-- errors:start -->\n\nnew\n\n<!-- errors:end --> b');
  });

  it('refuses a text without the markers', () => {
    expect(() => fillIn('nothing', { errors: 'new' })).toThrow(/errors:start/);
  });
});

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The headings of a document, as links name them. */
function anchorsOf(path: string): string[] {
  return [...readText(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}
