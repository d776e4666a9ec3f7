import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = import.meta.dirname;
const CACHE = join(FOLDER, '../../../node_modules/.cache/capture-service/validators');
const DOWNLOAD_MS = 300_000;

/** Judges of documents that nobody of this project wrote. */
export interface Validators {
  /** Returns the rules that each document breaks, by name, as veraPDF numbers them, and what qpdf says if it is there. */
  readonly brokenRules: (documents: ReadonlyMap<string, Buffer>, flavour: '2b' | '3b' | 'ua1') => Promise<object>;
  /** Returns the reports of Mustang, one for each e-invoice. */
  readonly reportsOf: (invoices: ReadonlyMap<string, Buffer>) => Promise<readonly string[]>;
}

/** Loads the validators from Maven Central once. Undefined without Java, Maven or the network. */
export async function findValidators(): Promise<Validators | undefined> {
  try {
    const [verapdf, mustang] = [await jarsOf('verapdf'), await jarsOf('mustang')];
    return {
      brokenRules: (documents, flavour) =>
        withFiles(documents, async (paths) => {
          const main = ['org.verapdf.apps.GreenfieldCliWrapper', '-f', flavour, '--format', 'text', '-v', ...paths];
          return { ...rulesIn(await outputOf('java', ['-cp', verapdf, ...main])), ...(await damagedOf(paths)) };
        }),
      reportsOf: (invoices) =>
        withFiles(invoices, async (paths) => {
          const printed = await outputOf('java', ['-cp', mustang, join(FOLDER, 'ValidateInvoices.java'), ...paths]);
          return printed.split('<?xml ').slice(1);
        }),
    };
  } catch {
    return undefined;
  }
}

/** Returns what qpdf says of damaged documents. Nothing without qpdf. */
async function damagedOf(paths: readonly string[]): Promise<object> {
  const isThere = await run('qpdf', ['--version']).then(
    () => true,
    () => false,
  );
  const damaged: [string, string][] = [];
  for (const path of isThere ? paths : [])
    await run('qpdf', ['--check', path]).catch((error: unknown) => damaged.push([path, String(error)]));
  return Object.fromEntries(damaged);
}

/** Returns the class path of a validator. */
async function jarsOf(name: 'verapdf' | 'mustang'): Promise<string> {
  const jars = join(CACHE, name);
  const isThere = await stat(jars).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const parts = `${jars}-${process.pid}`;
    await mkdir(parts, { recursive: true });
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${parts}`];
    await run('mvn', ['-q', '-B', '-f', join(FOLDER, `pom-${name}.xml`), ...goal], { timeout: DOWNLOAD_MS });
    await rename(parts, jars);
  }
  return join(jars, '*');
}

async function withFiles<T>(
  documents: ReadonlyMap<string, Buffer>,
  use: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'));
  try {
    const paths: string[] = [];
    for (const [name, bytes] of documents) {
      const path = join(folder, `${name}.pdf`);
      await writeFile(path, bytes);
      paths.push(path);
    }
    return await use(paths);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns what a validator prints. It ends with an error if a document is not valid. */
async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const ended = await run(program, args, { maxBuffer: 1e8 }).catch((error: unknown) => error);
  const { stdout } = Object(ended);
  if (typeof stdout !== 'string' || stdout === '') throw new Error(`${program} printed nothing`, { cause: ended });
  return stdout;
}

function rulesIn(printed: string): object {
  const broken: Record<string, string[]> = {};
  let name = '';
  for (const line of printed.split('\n')) {
    const [, verdict, document] = /^(PASS|FAIL) .*?([^/]+)\.pdf/.exec(line) ?? [];
    if (document !== undefined) name = document;
    if (verdict === 'FAIL') broken[name] = [];
    const [, rule] = /^\s+FAIL ([\d.]+-\d+)/.exec(line) ?? [];
    if (rule !== undefined) broken[name]?.push(rule);
  }
  return broken;
}
