import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParseLimits } from '../../core/capture/request/parse-options.ts';
import { isTemplateName, NAME_FORM } from '../../features/template/template-fields.ts';
import { errorCode } from '../../core/ground/errors.ts';
import type { Logger } from '../../core/ground/log.ts';
import { quoted } from '../../core/ground/quoted.ts';
import { type Template, TemplateProblem } from './template.ts';
import { isWithin, listFiles } from './template-files.ts';
import { readTemplate } from './read-template.ts';

/** Polling interval, so that a change takes effect within two seconds. */
const POLL_MS = 1_000;
const MAX_TEMPLATES = 1_000;
const MAX_SHOWN_NAME = 64;
/** Folder that a file system creates at its root. */
const NO_TEMPLATE = 'lost+found';

interface FolderOptions {
  /** The setting TEMPLATES_DIR. */
  readonly folder: string;
  /** Limits of request fields. */
  readonly limits: ParseLimits;
  /** Checks the Liquid sources and the schema. @throws TemplateProblem */
  readonly check: (template: Template) => Promise<void>;
  readonly log: Logger;
  readonly pollMs?: number;
}

/** The templates of a folder, kept up to date. */
export interface TemplateFolder {
  readonly get: (name: string) => Template | undefined;
  /** Returns all templates in the order of their names. */
  readonly list: () => readonly Template[];
  readonly close: () => Promise<void>;
}

/**
 * A template with the state of its folder, or the last valid template with the state of the folder that can't be used.
 */
interface Entry {
  readonly state: string;
  readonly template: Template | undefined;
  /** Reason for which the folder could not be read or checked just now. The next poll tries again. */
  readonly passingProblem?: string;
}

interface Reading {
  readonly entries: ReadonlyMap<string, Entry>;
  /** Problems that appeared since the last poll, by name of the template. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Reads all templates, and reads them again after a change. The caller closes it.
 * @throws Error with a message for the operator that names each invalid template
 */
export async function openTemplateFolder(options: FolderOptions): Promise<TemplateFolder> {
  const { log, pollMs = POLL_MS } = options;
  const first = await readAll(options, new Map()).catch((error: unknown) => {
    throw new Error(`TEMPLATES_DIR: ${reasonOf(error)}`, { cause: error });
  });
  if (first.problems.size > 0) {
    const lines = [...first.problems].map(([name, problem]) => `TEMPLATES_DIR: template ${name}: ${problem}`);
    throw new Error(lines.join('\n'));
  }
  let { entries } = first;
  log.info({ templates: entries.size }, 'templates read');

  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let failure: string | undefined;
  const poll = async (): Promise<void> => {
    try {
      const next = await readAll(options, entries);
      failure = undefined;
      logChanges(log, entries, next);
      entries = next.entries;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== failure) log.warn({ reason }, 'TEMPLATES_DIR was not read: the last templates stay');
      failure = reason;
    }
  };
  let polling: Promise<void> | undefined;
  const schedule = (): void => {
    timer = setTimeout(() => {
      polling = poll().finally(() => {
        if (!isClosed) schedule();
      });
    }, pollMs).unref();
  };
  schedule();

  return {
    get: (name) => entries.get(name)?.template,
    list: () => [...entries.values()].flatMap(({ template }) => template ?? []),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await polling;
    },
  };
}

/** Reads the folders that have changed. An invalid folder keeps its last valid template. */
async function readAll(options: FolderOptions, last: ReadonlyMap<string, Entry>): Promise<Reading> {
  const root = await realpath(options.folder);
  const names = (await readdir(root)).filter((name) => !name.startsWith('.') && name !== NO_TEMPLATE);
  const entries = new Map<string, Entry>();
  const problems = new Map<string, string>();
  for (const name of names.toSorted()) {
    const before = last.get(name);
    try {
      const folder = await folderOf(root, name);
      if (folder === undefined) continue; // a file beside the templates, such as a README
      if (entries.size === MAX_TEMPLATES) throw new TemplateProblem(`exceeds ${MAX_TEMPLATES} templates`);
      const found = await listFiles(folder);
      const state = found.map((file) => `${file.path} ${file.state}`).join('\n');
      if (state === before?.state) {
        entries.set(name, before);
        continue;
      }
      entries.set(name, { state, template: before?.template }); // an invalid state is read once
      const template = await readTemplate(name, found, options.limits);
      if (template.revision !== before?.template?.revision) await options.check(template);
      entries.set(name, { state, template });
    } catch (error) {
      const problem = reasonOf(error);
      const template = before?.template;
      if (error instanceof TemplateProblem) {
        const state = entries.get(name)?.state ?? problem;
        entries.set(name, { state, template });
        if (state !== before?.state) problems.set(shown(name), problem);
      } else {
        entries.set(name, { state: before?.state ?? '', template, passingProblem: problem });
        if (problem !== before?.passingProblem) problems.set(shown(name), problem);
      }
    }
  }
  return { entries, problems };
}

/** Returns the real folder of a template. Undefined for a file. */
async function folderOf(root: string, name: string): Promise<string | undefined> {
  const folder = await realpath(join(root, name));
  if (!(await stat(folder)).isDirectory()) return undefined;
  if (!isTemplateName(name)) throw new TemplateProblem(`the name of the folder must be ${NAME_FORM}`);
  if (!isWithin(root, folder)) throw new TemplateProblem('is a link that leads out of TEMPLATES_DIR');
  return folder;
}

function logChanges(log: Logger, before: ReadonlyMap<string, Entry>, { entries, problems }: Reading): void {
  for (const [name, reason] of problems) {
    const isKept = entries.get(name)?.template !== undefined;
    const consequence = isKept ? 'the last valid template stays' : 'the template is not available';
    const what = entries.get(name)?.passingProblem === undefined ? 'is invalid' : "can't be read now";
    log.warn({ template: name, reason }, `a template ${what}: ${consequence}`);
  }
  for (const [name, { template }] of entries) {
    if (template !== undefined && template !== before.get(name)?.template) {
      log.info({ template: name }, 'template read');
    }
  }
  for (const name of before.keys()) {
    if (!entries.has(name)) log.info({ template: name }, 'template removed');
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TemplateProblem) return error.message;
  const code = errorCode(error);
  return code === undefined ? String(error) : `can't be read (${code})`;
}

function shown(name: string): string {
  return quoted(name, MAX_SHOWN_NAME).slice(1, -1);
}
