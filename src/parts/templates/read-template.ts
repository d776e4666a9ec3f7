import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { z } from 'zod';
import { type ParseLimits, parseOptions } from '../../core/capture/request/parse-options.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { fieldPath } from '../../core/ground/field-path.ts';
import { hashOfFiles, ownSiteOf } from '../../core/egress/gate/own-site.ts';
import { PAGE_FILE, type Template, TemplateProblem } from './template.ts';
import { SOURCES } from '../../core/capture/request/source-fields.ts';
import { CREDENTIALS } from './expand-fields.ts';
import { attachmentsOf } from './render-attachments.ts';
import type { FoundFile } from './template-files.ts';

const DEFINITION_FILE = 'template.json';
/** Maximum size of all files of a template, which are kept in memory. */
const MAX_BYTES = 33_554_432;
/** Maximum size of a Liquid source. */
const MAX_SOURCE_BYTES = 1_048_576;
/** Text files that a Liquid source may include. */
const INCLUDABLE = new Set(['.liquid', '.html', '.css', '.svg', '.js', '.txt']);
/** A tag that includes another file. The group is missing if a variable has the name. */
const INCLUDE = /\{%-?\s*(?:include|layout|render)\s+(?:["']([^"'\n]{1,512})["'])?/g;
/** Matches markup that runs scripts. */
const SCRIPTS = /<script|\son[a-z]+\s*=|javascript:/i;
/** Files that the page can't load. */
const isPrivate = (path: string): boolean =>
  path === DEFINITION_FILE || path === PAGE_FILE || extname(path) === '.liquid';

const definitionSchema = z.strictObject(
  {
    fields: z.record(z.string(), z.unknown(), { error: 'must be an object with request fields' }).default({}),
    locked: z.boolean({ error: 'must be true or false' }).default(false),
    data: z.record(z.string(), z.unknown(), { error: 'must be a JSON Schema, which is an object' }).optional(),
  },
  { error: 'must be an object with fields, locked and data, all of them optional' },
);

/**
 * Reads a template from the files of its folder. The Liquid sources and the JSON Schema are checked by the renderer.
 * @throws TemplateProblem that names the file, and the field of template.json
 */
export async function readTemplate(name: string, found: readonly FoundFile[], limits: ParseLimits): Promise<Template> {
  const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MAX_BYTES) {
    throw new TemplateProblem(`its files have ${bytes} bytes, of at most ${MAX_BYTES}`);
  }
  const contents = new Map<string, Buffer>();
  for (const { path, realPath } of found) contents.set(path, await readFile(realPath));

  const { fields, locked, data } = readDefinition(contents.get(DEFINITION_FILE));
  checkFields(fields, { hasPage: contents.has(PAGE_FILE), limits });
  const missing = attachmentsOf({ fields }).find(({ file = DEFINITION_FILE }) => !contents.has(file));
  if (missing !== undefined)
    throw new TemplateProblem(
      `${DEFINITION_FILE}: fields: pdf_attachments: ${missing.file} is no file of the template`,
    );
  const revision = hashOfFiles(contents);
  const sources = readSources(contents);
  const files = [...contents].filter(([path]) => !isPrivate(path));
  return {
    name,
    fields,
    isLocked: locked,
    schema: data,
    sources,
    hasScripts: Object.values(sources).some((source) => SCRIPTS.test(source)),
    site: ownSiteOf(new Map(files), revision),
    revision,
  };
}

function readDefinition(bytes: Buffer | undefined): z.output<typeof definitionSchema> {
  if (bytes === undefined) throw new TemplateProblem(`${DEFINITION_FILE} is missing`);
  const { success, data, error } = definitionSchema.safeParse(parseJson(bytes));
  if (success) return data;
  const problems = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return `${issue.keys.join(', ')}: is not known, use fields, locked and data`;
    }
    return issue.path.length === 0 ? issue.message : `${fieldPath(issue.path)}: ${issue.message}`;
  });
  throw new TemplateProblem(`${DEFINITION_FILE}: ${problems.join('; ')}`);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(decode(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new TemplateProblem(`${DEFINITION_FILE}: is not JSON in UTF-8 (${reason})`);
  }
}

/** Checks the fields as a request has them, with a page or an address to stand for those of the request. */
function checkFields(
  fields: Readonly<Record<string, unknown>>,
  { hasPage, limits }: { readonly hasPage: boolean; readonly limits: ParseLimits },
): void {
  const ofPage = [...SOURCES, 'files'];
  const refused = ['template', 'data', ...(hasPage ? ofPage : [])];
  const [wrong] = refused.filter((field) => Object.hasOwn(fields, field));
  if (wrong !== undefined) {
    const reason = ofPage.includes(wrong) ? ` beside ${PAGE_FILE}` : '';
    throw new TemplateProblem(`${DEFINITION_FILE}: fields: ${wrong}: can't be set${reason}`);
  }
  const credential = CREDENTIALS.find((field) => Object.hasOwn(fields, field));
  if (!hasPage && credential !== undefined && !Object.hasOwn(fields, 'url')) {
    const reason = 'needs url, because only the origin of url gets it';
    throw new TemplateProblem(`${DEFINITION_FILE}: fields: ${credential}: ${reason}`);
  }
  const hasSource = SOURCES.some((field) => Object.hasOwn(fields, field));
  const source = hasPage ? { html_content: '-' } : hasSource ? {} : { url: 'https://template.example/' };
  try {
    parseOptions({ ...source, ...fields }, limits);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new TemplateProblem(`${DEFINITION_FILE}: fields: ${error.details ?? error.message}`);
  }
}

function readSources(contents: ReadonlyMap<string, Buffer>): Readonly<Record<string, string>> {
  const sources = [...contents].filter(([path, { length }]) => {
    if (!INCLUDABLE.has(extname(path))) return false;
    if (isLiquid(path) && length > MAX_SOURCE_BYTES) {
      throw new TemplateProblem(`${path}: has ${length} bytes, of at most ${MAX_SOURCE_BYTES}`);
    }
    return length <= MAX_SOURCE_BYTES;
  });
  const texts = sources.map(([path, bytes]): readonly [string, string] => {
    try {
      return [path, decode(bytes)];
    } catch {
      throw new TemplateProblem(`${path}: is not text in UTF-8`);
    }
  });
  const isIncluded = createIncludedCheck(texts.map(([, text]) => text));
  return Object.fromEntries(texts.filter(([path]) => isLiquid(path) || isIncluded(path)));
}

function isLiquid(path: string): boolean {
  return path === PAGE_FILE || extname(path) === '.liquid';
}

/**
 * Returns a check for files that a tag includes. Those that only the browser loads would fill the memory of the
 * renderer.
 */
function createIncludedCheck(texts: readonly string[]): (path: string) => boolean {
  const included = texts.flatMap((text) => [...text.matchAll(INCLUDE)].map(([, quotedName]) => quotedName));
  const names = new Set(included.map((name) => name && basename(name)));
  return (path) => names.has(undefined) || names.has(basename(path)); // without a name in quotes, any file may be meant
}

function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
