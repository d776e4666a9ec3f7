import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const SOURCE = join(import.meta.dirname, '../src');
const ROOT = join(import.meta.dirname, '..');
const PRETTIER = join(ROOT, '.prettierrc.json');
const MAX_LINES = 250;
/** Maximum number of files in one folder. */
const MAX_FILES = 20;
/** Maximum share of all lines in one room: a folder of core, features, parts or programs. */
const MAX_SHARE = 0.25;
/** Files that may exceed the line limit, because splitting them would not help. Each has a reason. */
const LONGER: readonly string[] = [
  'core/config/settings.ts', // one table, a row per setting
  'programs/client/capture-fields.ts', // generated from the schema, with the meaning of each field
];

/** Rooms of the core from top to bottom. A file imports from its own room and from those below. */
const CORE: readonly (readonly string[])[] = [
  ['part.ts', 'service'],
  ['http'],
  ['config'],
  ['feature.ts', 'capture'],
  ['steps'],
  ['browser'],
  ['queue', 'processes'],
  ['access'],
  ['egress'],
  ['ground'],
];

/** Files outside of all rooms. Only `list.ts` names the core and what is not the core; `features.ts` has types of requests. */
const LISTS = ['features.ts', 'list.ts', 'main.ts', 'part-settings.ts', 'serve.ts'];

/** Imports between guests of the core. A guest that goes takes those that import it along. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'features/data': ['features/markdown'],
  'features/documents': ['features/reproducible'],
  'features/paged-media': ['features/documents'],
  'features/pdf-source': ['features/pdf-reader'],
  'parts/cache': ['parts/stores'],
  'parts/compare': ['features/data', 'parts/jobs', 'parts/metrics'],
  'parts/compat': [
    'features/data',
    'features/documents',
    'features/markdown',
    'parts/documents',
    'parts/jobs',
    'parts/storage',
    'parts/usage',
    'parts/webhooks',
  ],
  'parts/documents': ['features/documents', 'features/pdf-reader', 'parts/jobs'],
  'parts/filter-lists': ['features/blocking'],
  'parts/jobs': ['parts/metrics', 'parts/storage', 'parts/stores', 'parts/usage', 'parts/webhooks'],
  'parts/mcp': ['features/data', 'parts/compare', 'parts/jobs', 'parts/templates', 'parts/watches'],
  'parts/metrics': ['parts/cache', 'parts/jobs', 'parts/rehearsal', 'parts/storage', 'parts/watches', 'parts/webhooks'],
  'parts/rehearsal': ['features/pdf-reader', 'parts/compare', 'parts/metrics'],
  'parts/shared-limits': ['parts/stores'],
  'parts/storage': ['parts/metrics'],
  'parts/templates': ['features/documents', 'features/template'],
  'parts/usage': ['parts/pages', 'parts/stores'],
  'parts/watches': [
    'features/data',
    'parts/compare',
    'parts/jobs',
    'parts/metrics',
    'parts/pages',
    'parts/storage',
    'parts/stores',
  ],
  'parts/webhooks': ['parts/metrics'],
  'programs/cli': [
    'features/pdf-reader',
    'lists',
    'parts/compare',
    'parts/rehearsal',
    'parts/storage',
    'programs/client',
  ],
  'programs/playground': ['programs/client'],
};

const files = globSync('**/*.ts', { cwd: SOURCE }).toSorted();
const read = (file: string): string => readFileSync(join(SOURCE, file), 'utf8');

/**
 * Names that a script imports from the built service, but that their module does not export: nothing type-checks them.
 */
function brokenImportsOf(script: string): string[] {
  const imports = readFileSync(join(ROOT, script), 'utf8').matchAll(
    /import \{([^}]+)\} from '\.\.\/dist\/([^']+)\.js'/g,
  );
  return [...imports].flatMap(([, names = '', module = '']) => {
    const source = files.includes(`${module}.ts`) ? read(`${module}.ts`) : '';
    return names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => !new RegExp(`^export (?:async )?(?:function|const|class) ${name}\\b`, 'm').test(source))
      .map((name) => `${script}: ${name} of ${module}`);
  });
}

/** True for a comment, on a line of its own or after code. */
function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*)|\s\/\/ [^'"`]*$/.test(line);
}

/** Returns the room of a file: `parts/jobs` for `parts/jobs/routes/job-routes.ts`. */
function roomOf(file: string): string {
  return LISTS.includes(file) ? 'lists' : file.split('/', 2).join('/');
}

/** Returns the floor of a file of the core, counted from the top. */
function floorOf(file: string): number {
  const [, room = ''] = file.split('/');
  return CORE.findIndex((rooms) => rooms.includes(room));
}

/** Returns all imports of a file: named, for side effects, and dynamic. */
function importsOf(file: string): string[] {
  const imports = read(file).matchAll(/\b(?:from|import) ?\(?'(\.[^']+)'/g);
  const specifiers = [...imports].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => relative(SOURCE, join(SOURCE, dirname(file), specifier)));
}

describe('the source tree', () => {
  it('has a core that imports nothing but itself, and the list of features', () => {
    const core = files.filter((file) => file.startsWith('core/'));
    const foreign = core.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !imported.startsWith('core/') && imported !== 'features.ts')
        .map((imported) => `${file} to ${imported}`),
    );

    expect(core.filter((file) => floorOf(file) === -1)).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('imports only downwards in the core', () => {
    const upwards = files
      .filter((file) => file.startsWith('core/'))
      .flatMap((file) =>
        importsOf(file)
          .filter((imported) => imported.startsWith('core/') && floorOf(imported) < floorOf(file))
          .map((imported) => `${file} must not import ${imported}, which lies above`),
      );

    expect(upwards).toEqual([]);
  });

  it('names every import between features, parts and programs', () => {
    const guests = files.filter((file) => !file.startsWith('core/') && !LISTS.includes(file));
    const arrows = guests.flatMap((file) =>
      importsOf(file)
        .map(roomOf)
        .filter((room) => room !== roomOf(file) && !room.startsWith('core/'))
        .map((room) => [roomOf(file), room] as const),
    );
    const found = Map.groupBy(arrows, ([from]) => from);

    expect(Object.fromEntries([...found].map(([from, all]) => [from, sorted(all.map(([, to]) => to))]))).toEqual(
      ARROWS,
    );
  });

  it('has one list that names the core and its guests', () => {
    const both = LISTS.filter((file) => {
      const sides = importsOf(file).filter((imported) => !LISTS.includes(imported));
      return (
        sides.some((imported) => imported.startsWith('core/')) &&
        sides.some((imported) => !imported.startsWith('core/'))
      );
    });

    expect(both).toEqual(['list.ts']);
  });

  it('has no import cycles', () => {
    expect(files.filter((file) => reaches(file, file))).toEqual([]);
  });

  it('loads OpenTelemetry only where traces are on', () => {
    const naming = (text: string): string[] => files.filter((file) => read(file).includes(text));

    expect(naming("from '@opentelemetry/")).toEqual(['parts/tracing/open-telemetry.ts']);
    expect(naming('/open-telemetry.ts')).toEqual(['parts/tracing/open-tracer.ts']);
    expect(read('parts/tracing/open-tracer.ts')).toContain("await import('./open-telemetry.ts')");
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    expect(files.filter((file) => read(file).split('\n').length > MAX_LINES)).toEqual(LONGER);
  });

  it('gives every file a name of its own', () => {
    const names = Object.groupBy(files, (file) => basename(file));
    const shared = Object.entries(names).filter(([, inside]) => (inside?.length ?? 0) > 1);

    expect(shared.map(([name]) => name)).toEqual(['index.ts', 'main.ts']);
  });

  it('exports what benchmarks and scripts import', () => {
    expect(globSync('{bench,scripts}/**/*.mjs', { cwd: ROOT }).flatMap(brokenImportsOf)).toEqual([]);
  });

  it('wraps comments at the width of the code', () => {
    const width = z.object({ printWidth: z.number() }).parse(JSON.parse(readFileSync(PRETTIER, 'utf8'))).printWidth;
    const written = files.filter((file) => !read(file).startsWith('// Written by'));
    const wide = written.flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => line.length > width && isComment(line))
        .map((line) => `${file}: ${line}`),
    );

    expect(wide).toEqual([]);
  });

  it(`has no folder of more than ${MAX_FILES} files`, () => {
    const folders = Object.groupBy(globSync('**/*.*', { cwd: SOURCE }), (file) => dirname(file));
    const full = Object.entries(folders).filter(([, inside]) => (inside?.length ?? 0) > MAX_FILES);

    expect(full.map(([folder]) => folder)).toEqual([]);
  });

  it(`has no room with more than ${MAX_SHARE * 100} % of the lines`, () => {
    const rooms = Object.groupBy(files, roomOf);
    const sizes = Object.entries(rooms).map(([room, inside = []]) => [room, linesOf(inside)] as const);

    expect(sizes.filter(([, lines]) => lines > MAX_SHARE * linesOf(files))).toEqual([]);
  });

  it('has a description of every folder in docs/architecture.md', () => {
    const table = readFileSync(join(SOURCE, '../docs/architecture.md'), 'utf8').matchAll(/^\| `([\w/-]+)\/` \|/gm);
    const rooms = new Set(files.map((file) => dirname(file)).filter((folder) => folder !== '.'));

    expect(new Set([...table].map(([, room]) => room))).toEqual(rooms);
  });

  it('reads the environment in core/config/environment.ts only', () => {
    const reading = files.filter((file) => read(file).includes('process.env'));

    // The playground shows sample code that reads process.env.
    expect(
      reading.filter(
        (file) => !['core/config/environment.ts', 'programs/playground/result/snippets.ts'].includes(file),
      ),
    ).toEqual([]);
  });

  it('uses Puppeteer only in folders that drive pages', () => {
    const allowed = /^(?:core\/(?:browser|capture\/formats|steps)|features)\//;

    expect(files.filter((file) => read(file).includes("'puppeteer'") && !allowed.test(file))).toEqual([]);
  });

  it('uses Express only in core/http/ and in routes of parts', () => {
    expect(files.filter((file) => read(file).includes("'express'") && !/^(?:core\/http|parts)\//.test(file))).toEqual(
      [],
    );
  });

  it('keeps the client browser-compatible: only web standards and the signing code', () => {
    const own = files.filter((file) => file.startsWith('programs/client/'));
    const reached = new Set(own.flatMap((file) => [file, ...importsOf(file)]));
    const foreign = [...reached].filter((file) => !own.includes(file));

    expect(foreign).toEqual(['core/access/signed-text.ts']);
    expect([...reached].filter((file) => /from '[^.]|\b(Buffer|process|require)\b/.test(read(file)))).toEqual([]);
  });

  it('lets page code import nothing but page code, because it is bundled for the page', () => {
    // Converts Markdown in pages and, for small texts, in the service. Must not import anything.
    const shared = 'features/markdown/create-markdown.ts';
    const pageCode = files.filter((file) => /\/in-page\//.test(file) || file === shared);
    const foreign = pageCode.flatMap((file) => {
      const packages = /^import (?!type )[^;]*from '[^.]/m.test(read(file)) ? [`${file}: a package`] : [];
      const others = importsOf(file).filter((imported) => !/\/in-page\//.test(imported) && imported !== shared);
      return [...packages, ...others.map((imported) => `${file}: ${imported}`)];
    });

    expect(pageCode.length).toBeGreaterThan(0);
    expect(foreign).toEqual([]);
  });
});

function linesOf(some: readonly string[]): number {
  return some.reduce((sum, file) => sum + read(file).split('\n').length, 0);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

function reaches(from: string, goal: string, seen = new Set<string>()): boolean {
  return importsOf(from).some((next) => {
    if (next === goal) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(next, goal, seen);
  });
}
