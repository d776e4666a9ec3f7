import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillIn, renderTables } from '../scripts/docs/tables.mjs';
import { captureSchema, FIELD_NAMES } from '../src/capture/options.ts';
import { WARNINGS } from '../src/capture/step.ts';
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

  it('refers to files that exist', () => {
    const files = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md'].flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
    });

    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => globSync(file, { cwd: ROOT }).length === 0)).toEqual([]);
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
