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
/** Maximum share of all lines in one folder directly in src/, with its subfolders. */
const MAX_SHARE = 0.25;
/** Files that may exceed the line limit, because splitting them would not help. Each has a reason. */
const LONGER: readonly string[] = [
  'client/capture-fields.ts', // generated from the schema, with the meaning of each field
  'config/settings.ts', // one table, a row per setting
];

/** Layers from top to bottom. A file may import from its own layer and from those below. */
const FLOORS: readonly (readonly [name: string, files: RegExp])[] = [
  // Separate from the service: it runs in browsers, and uses the service over HTTP only.
  ['playground', /^playground\//],
  ['main, cli', /^main\.ts$|^serve\.ts$|^cli\//],
  ['list', /^list\.ts$/],
  ['all parts', /^parts\//],
  ['compat', /^compat\//],
  ['service', /^service\//],
  ['http', /^http\/[\w-]+\.ts$/],
  ['guards, openapi', /^http\/(guards|openapi)\//],
  ['all routes', /^http\/routes\.ts$/],
  ['routes', /^http\/routes\//],
  ['answers', /^http\/answers\//],
  ['request', /^http\/request\//],
  ['compare', /^compare\/[\w-]+\.ts$/],
  ['compare/pictures', /^compare\/pictures\//],
  ['metrics', /^metrics\//],
  ['usage', /^usage\//],
  ['jobs', /^jobs\//],
  ['cache', /^cache\//],
  ['config', /^config\//],
  ['templates', /^templates\//],
  ['capture', /^capture\/[\w-]+\.ts$/],
  ['request', /^capture\/request\//],
  ['list of features', /^features\.ts$/],
  ['features', /^features\//],
  ['parts', /^capture\/parts\//],
  ['formats, markdown', /^capture\/(formats|markdown)\//],
  ['pictures', /^capture\/formats\/pictures\//],
  ['formats/pdf', /^capture\/formats\/pdf\//],
  ['actions', /^steps\/actions\//],
  ['consent', /^steps\/consent\//],
  ['readiness', /^steps\/readiness\//],
  ['blocking', /^steps\/blocking\//],
  ['steps', /^steps\/[\w-]+\.ts$/],
  ['common', /^steps\/common\//],
  ['in-page', /^steps\/in-page\//],
  ['pool', /^browser\/pool\//],
  ['host', /^browser\/host\//],
  ['process', /^browser\/process\//],
  ['page', /^browser\/page\//],
  ['pipe', /^browser\/pipe\//],
  ['find', /^browser\/find\//],
  ['browser', /^browser\/[\w-]+\.ts$/],
  ['keys', /^keys\//],
  ['storage, webhooks', /^(storage|webhooks)\//],
  ['gate', /^egress\/gate\//],
  ['peers', /^egress\/peers\//],
  ['egress', /^egress\/[\w-]+\.ts$/],
  ['client', /^client\//],
  ['blocklists', /^blocklists\//],
  ['auth, certificates, rate-limit', /^(auth|certificates|rate-limit)\//],
  ['redis', /^redis\//],
  ['queue, sqlite', /^(queue|sqlite)\//],
  ['processes, tracing', /^(processes|tracing)\//],
  [
    'ground',
    /^(errors|finished-request|load-sharp|log|make-folders|memory-budget|mutex|nearest|parse-json|quoted|read-at-most|regex-timeout|retries|time-limits|timeouts|tracer)\.ts$/,
  ],
];

/** What the service can do beyond single captures, and what captures can do beyond the user's card: guests of the core. */
const GUESTS =
  /^(?:parts|jobs|compat|compare|storage|templates|usage|cache|webhooks|metrics|redis|sqlite|tracing|cli|client|playground|blocklists)\/|^http\/(?:metrics-app|guards\/quota-headers)|^http\/routes\/(?:jobs|compare|mcp)\/|^http\/routes\/(?:store-result|stored-(?:link|route)|templates-|usage-|metrics-|playground-)|^capture\/(?:markdown|parts|formats\/(?:pdf|single-html|mhtml))|^features\/(?!feature\.ts)|^steps\/(?:blocking|actions|consent)\//;
/** Files that name guests to connect them. */
const CONNECTING = /^(?:main|serve|list|features|settings)\.ts$/;
/** Imports of guests by the core that are left. The number only falls. */
const MAX_ARROWS = 0;

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

/** Returns the most specific layer: `capture/formats/pdf/sheet.ts` belongs to formats/pdf, not to formats. */
function floorOf(file: string): number {
  return FLOORS.findLastIndex(([, pattern]) => pattern.test(file));
}

/** Returns all imports of a file: named, for side effects, and dynamic. */
function importsOf(file: string): string[] {
  const imports = read(file).matchAll(/\b(?:from|import) ?\(?'(\.[^']+)'/g);
  const specifiers = [...imports].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => relative(SOURCE, join(SOURCE, dirname(file), specifier)));
}

describe('the source tree', () => {
  it('assigns a layer to every file', () => {
    expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
  });

  it('imports only downwards', () => {
    const upwards = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => floorOf(imported) < floorOf(file))
        .map((imported) => `${file} must not import ${imported}: ${nameOf(imported)} lies above ${nameOf(file)}`),
    );

    expect(upwards).toEqual([]);
  });

  it('has a core that imports few guests', () => {
    const core = files.filter((file) => !GUESTS.test(file) && !CONNECTING.test(file));
    const arrows = core.flatMap((file) =>
      importsOf(file)
        .filter((imported) => GUESTS.test(imported))
        .map((imported) => `${file} to ${imported}`),
    );

    expect(arrows.slice(MAX_ARROWS)).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(files.filter((file) => reaches(file, file))).toEqual([]);
  });

  it('loads OpenTelemetry only where traces are on', () => {
    const naming = (text: string): string[] => files.filter((file) => read(file).includes(text));

    expect(naming("from '@opentelemetry/")).toEqual(['tracing/open-telemetry.ts']);
    expect(naming('/open-telemetry.ts')).toEqual(['tracing/open-tracer.ts']);
    expect(read('tracing/open-tracer.ts')).toContain("await import('./open-telemetry.ts')");
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

  it(`has no folder with more than ${MAX_SHARE * 100} % of the lines`, () => {
    const rooms = Object.groupBy(files, (file) => file.split('/')[0] ?? file);
    const sizes = Object.entries(rooms).map(([room, inside = []]) => [room, linesOf(inside)] as const);

    expect(sizes.filter(([, lines]) => lines > MAX_SHARE * linesOf(files))).toEqual([]);
  });

  it('has a description of every folder in docs/architecture.md', () => {
    const table = readFileSync(join(SOURCE, '../docs/architecture.md'), 'utf8').matchAll(/^\| `([\w/-]+)\/` \|/gm);
    const rooms = new Set(files.map((file) => dirname(file)).filter((folder) => folder !== '.'));

    expect(new Set([...table].map(([, room]) => room))).toEqual(rooms);
  });

  it('reads the environment in config/environment.ts only', () => {
    const reading = files.filter((file) => read(file).includes('process.env'));

    // The playground shows sample code that reads process.env.
    expect(
      reading.filter((file) => !['config/environment.ts', 'playground/result/snippets.ts'].includes(file)),
    ).toEqual([]);
  });

  it('separates the playground from the service: they communicate over HTTP', () => {
    const imports = files.filter((file) => !file.startsWith('playground/')).flatMap(importsOf);

    expect(imports.filter((imported) => imported.startsWith('playground/'))).toEqual([]);
  });

  it('uses Puppeteer only in folders that drive pages', () => {
    const allowed = /^(browser|capture\/(formats|parts)|steps)\//;

    expect(files.filter((file) => read(file).includes("'puppeteer'") && !allowed.test(file))).toEqual([]);
  });

  it('uses Express only in http/ and compat/', () => {
    expect(files.filter((file) => read(file).includes("'express'") && !/^(http|compat)\//.test(file))).toEqual([]);
  });

  it('keeps the client browser-compatible: only web standards and the signing code', () => {
    const own = files.filter((file) => file.startsWith('client/'));
    const reached = new Set(own.flatMap((file) => [file, ...importsOf(file)]));
    const foreign = [...reached].filter((file) => !own.includes(file));

    expect(foreign).toEqual(['auth/signed-text.ts']);
    expect([...reached].filter((file) => /from '[^.]|\b(Buffer|process|require)\b/.test(read(file)))).toEqual([]);
  });

  it('uses the client only in the command line and the playground', () => {
    const users = files.filter((file) => importsOf(file).some((imported) => imported.startsWith('client/')));

    expect(users.filter((file) => !/^(client|cli|playground)\//.test(file))).toEqual([]);
  });

  it('lets page code import nothing but page code, because it is bundled for the page', () => {
    // Converts Markdown in pages and, for small texts, in the service. Must not import anything.
    const shared = 'capture/markdown/create-markdown.ts';
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

function nameOf(file: string): string {
  return FLOORS[floorOf(file)]?.[0] ?? 'nothing';
}

function reaches(from: string, goal: string, seen = new Set<string>()): boolean {
  return importsOf(from).some((next) => {
    if (next === goal) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(next, goal, seen);
  });
}
