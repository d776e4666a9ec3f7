import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeMetrics } from '../scripts/docs/metrics.mjs';
import { renderThirdParty } from '../scripts/docs/third-party.mjs';
import { renderEnvExample } from '../scripts/docs/env-example.mjs';
import { fillIn, renderCompat, renderTables } from '../scripts/docs/tables.mjs';
import { captureSchema, FIELD_NAMES } from '../src/core/capture/request/options.ts';
import { conflictRules } from '../src/core/capture/request/conflicts.ts';
import { WARNINGS } from '../src/core/steps/common/step.ts';
import { SETTINGS } from './support/settings.ts';
import { ERROR_CATALOGUE } from '../src/core/ground/errors.ts';
import { RESPONSE_HEADERS } from '../src/core/http/answers/response-headers.ts';
import { COMPAT } from '../src/parts/compat/index.ts';
import { TOOLS } from '../src/parts/mcp/tools.ts';
import { ALL_ROUTES } from './support/app.ts';
import { createMetrics } from '../src/parts/metrics/metrics.ts';
import { PREFIX } from '../src/parts/metrics/series.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync(['docs/**/*.md', 'test/*/REPORT.md', 'bench/README.md'], { cwd: ROOT }),
];
/** Files other than documents that refer to documents. */
const SOURCES = [
  '.env.example',
  'Dockerfile',
  'compose.yaml',
  ...globSync(['{src,scripts,bench}/**/*.{ts,mts,mjs,html}', 'deploy/**/*.{yaml,yml,service,json,sh}'], {
    cwd: ROOT,
  }),
];
const MAX_README_LINES = 200;

const reference = readText('docs/reference.md');
const metrics = await describeMetrics({ createMetrics, prefix: PREFIX });
const tables = renderTables({
  captureSchema,
  settings: SETTINGS,
  errors: ERROR_CATALOGUE,
  warnings: WARNINGS,
  headers: RESPONSE_HEADERS,
  tools: TOOLS,
  metrics,
  conflicts: conflictRules(),
});

describe('the routes of docs/reference.md', () => {
  it('are exactly the existing routes', () => {
    const table = reference.split('\n## ').find((section) => section.startsWith('Routes\n')) ?? '';
    const paths = [...table.matchAll(/`(?:[A-Z]+ )?(\/[\w./*:-]*)`/g)].map(([, path]) => path);

    expect(new Set(paths)).toEqual(new Set(ALL_ROUTES.map(({ path }) => path)));
  });
});

describe('README.md', () => {
  it(`has at most ${MAX_README_LINES} lines: everything else is in docs/`, () => {
    expect(readText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES);
  });

  it('links to every document', () => {
    const led = new Set(linksOf('README.md').map(({ path }) => path));

    const guides = DOCUMENTS.filter((path) => path !== 'README.md' && !path.startsWith('docs/decisions/'));
    expect(guides.filter((path) => !led.has(path))).toEqual([]);
  });
});

describe('documentation', () => {
  it('links to existing files and headings', () => {
    const links = DOCUMENTS.flatMap(linksOf);

    expect(links.length).toBeGreaterThan(60);
    expect(links.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(links.filter(({ path, anchor }) => anchor !== '' && !anchorsOf(path).includes(anchor))).toEqual([]);
  });

  it('exists where sources refer to it', () => {
    const named = SOURCES.flatMap((source) =>
      [...readText(source).matchAll(/\b((?:docs\/[\w/-]+|README|SECURITY|CONTRIBUTING)\.md)(?:#([\w-]+))?/g)].map(
        ([, path = '', anchor = '']) => ({ source, path, anchor }),
      ),
    );

    expect(named.length).toBeGreaterThan(3);
    const broken = named.filter(
      ({ path, anchor }) => !existsSync(join(ROOT, path)) || (anchor !== '' && !anchorsOf(path).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it.each(DOCUMENTS)('links only to files in the repository: %s', (path) => {
    expect(readText(path)).not.toMatch(/\bspec \d|decisions\.md|findings\.md|\bpeers \d|\bour survey|\bissue \d/i);
  });
});

describe('docs/reference.md', () => {
  it('has the generated tables; if not, run `npm run docs`', () => {
    expect(reference).toBe(fillIn(reference, tables));
  });

  it.each([
    ['fields', FIELD_NAMES],
    ['settings', SETTINGS.map(({ name }) => name)],
    ['errors', Object.keys(ERROR_CATALOGUE)],
    ['warnings', Object.keys(WARNINGS)],
    ['headers', RESPONSE_HEADERS.map(({ name }) => name)],
    ['tools', TOOLS.map(({ name }) => name)],
    ['metrics', metrics.map(({ name }) => name)],
  ] as const)('has a row for each of the %s', (name, expected) => {
    const rows = tables[name].split('\n').slice(2);

    for (const each of expected)
      expect(rows.filter((row) => row.split('|', 3).includes(` \`${each}\` `))).toHaveLength(1);
    expect(rows).toHaveLength(expected.length);
    expect(tables[name]).not.toContain('undefined');
  });

  it('has the metrics with their labels', () => {
    const labels = new Map(metrics.map(({ name, labels: of }) => [name.slice(PREFIX.length), of]));

    expect(labels.get('requests_total')).toEqual(['route', 'status', 'error_type']);
    expect(labels.get('phase_duration_seconds')).toEqual(['phase']);
    expect(labels.get('memory_used_bytes')).toEqual(['budget']);
    expect(labels.get('pool_size')).toEqual([]);
  });
});

describe('THIRD-PARTY.md', () => {
  it('has the packages of the lock file; if not, run `npm run docs`', () => {
    const lock: Parameters<typeof renderThirdParty>[0] = JSON.parse(readText('package-lock.json'));

    expect(readText('THIRD-PARTY.md')).toBe(renderThirdParty(lock));
    expect(readText('THIRD-PARTY.md')).toMatch(/`@duckduckgo\/autoconsent` \| \S+ \| MPL-2.0/);
  });
});

describe('.env.example', () => {
  it('is generated from the settings; if not, run `npm run docs`', () => {
    expect(readText('.env.example')).toBe(renderEnvExample(SETTINGS));
  });
});

describe('docs/troubleshooting.md', () => {
  it('says what to do about exactly the existing errors and warnings', () => {
    const [, explained = ''] = readText('docs/troubleshooting.md').split('\n## Errors\n');
    const rows = [...explained.matchAll(/^\| `(\w+)` \| ./gm)].map(([, name]) => name);

    expect(rows).toEqual([...Object.keys(ERROR_CATALOGUE), ...Object.keys(WARNINGS)]);
  });
});

describe('docs/known-problems.md', () => {
  const rows = [...readText('docs/known-problems.md').matchAll(/\| `(test\/[^`]+)`: (.+) \|$/gm)];

  it('has a test for each of at least 30 problems', () => {
    const missing = rows.filter(([, file = '', title = '']) => {
      const text = existsSync(join(ROOT, file)) ? readText(file) : '';
      return !text.replaceAll('\\', '').includes(title);
    });

    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(missing.map(([row]) => row)).toEqual([]);
  });
});

describe('docs/operating.md', () => {
  const [, table = ''] = readText('docs/operating.md').split('| Message | Action |');
  const messages = [...(table.split('\n## ')[0] ?? '').matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  );
  const source = globSync('src/**/*.ts', { cwd: ROOT }).map(readText).join('\n');

  it('quotes log messages that the code writes', () => {
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.filter((message) => !source.includes(message))).toEqual([]);
  });

  it('quotes every message of the level "error", which means "act now"', () => {
    const errors = [...source.matchAll(/\blog\.error\([^'"]*(['"])((?:(?!\1).)+)\1/g)].map(([, , text = '']) => text);

    expect(errors.length).toBeGreaterThan(10);
    expect(errors.filter((error) => !messages.some((message) => error.startsWith(message)))).toEqual([]);
  });

  it('has a row and a drill for each alert', () => {
    const alerts = [...readText('deploy/prometheus/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const rows = [...readText('docs/operating.md').matchAll(/^\| `(CaptureService\w+)` \| [^|]+ \| [^|]+ \|$/gm)].map(
      ([, name]) => name,
    );

    expect(alerts.length).toBeGreaterThan(5);
    expect(rows).toEqual(alerts);
  });
});

describe('docs/coming-from.md', () => {
  it('has the generated tables; if not, run `npm run docs`', () => {
    const text = readText('docs/coming-from.md');

    expect(text).toBe(fillIn(text, renderCompat(COMPAT)));
  });

  const rows = readText('docs/coming-from.md')
    .split('\n')
    .filter((line) => /^\| [^-]/.test(line));

  it('names only existing fields, settings and headers', () => {
    const ours = rows.map((row) => row.split(' | ').at(-1) ?? '').filter((cell) => !cell.startsWith('Here'));
    const named = ours.flatMap((cell) =>
      [
        ...cell.matchAll(/`([A-Za-z]\w*(?:[_-]\w+)+|url|format|clip|selector|cookies|locale|timezone|javascript)\b/g),
      ].map(([, name = '']) => name),
    );

    const known = new Set([
      ...TOOLS.map(({ name }) => name),
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
  it('has every custom header that the code sets', () => {
    const files = globSync('src/{core/http,parts}/**/*.ts', { cwd: ROOT });
    // Routes of other services set their headers, too.
    const source = files.filter((file) => !file.startsWith('src/parts/compat/')).map(readText);
    const set = source.flatMap((text) => [...text.matchAll(/'(X-[A-Z][\w-]+)'/g)].map(([, name]) => name));

    const listed = new Set<string | undefined>(RESPONSE_HEADERS.map(({ name }) => name));
    expect(set.length).toBeGreaterThan(5);
    expect(set.filter((name) => !listed.has(name))).toEqual([]);
  });
});

describe('fillIn', () => {
  it('replaces only the text between the markers', () => {
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

/** Returns a document without code, where a line may look like a heading, and brackets like a link. */
function proseOf(path: string): string {
  return readText(path)
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ''));
}

/** Returns the links to files of the repository. An anchor without a path refers to the document itself. */
function linksOf(document: string): { document: string; path: string; anchor: string }[] {
  return [...proseOf(document).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([, target = '', anchor = '']) => ({
    document,
    path: target === '' ? document : join(dirname(document), target),
    anchor,
  }));
}

/** Returns the anchors of the headings of a document. */
function anchorsOf(path: string): string[] {
  return [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}
