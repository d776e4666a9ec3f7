import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { errorCode } from '../../core/ground/errors.ts';
import { quoted } from '../../core/ground/quoted.ts';
import { TemplateProblem } from './template.ts';

/** Maximum number of files of a template. */
const MAX_FILES = 1_000;
/** Maximum depth of folders, which also ends loops of links. */
const MAX_DEPTH = 8;
const MAX_SHOWN_PATH = 200;

/** A file of a template folder. */
export interface FoundFile {
  /** Path below the folder, with slashes. */
  readonly path: string;
  /** Path without links. */
  readonly realPath: string;
  readonly bytes: number;
  /** Changes whenever the file changes. */
  readonly state: string;
}

/**
 * Lists the files of a folder and of the folders in it, sorted by path. Leaves out hidden files, such as `..data` in a
 * ConfigMap. Follows links within the folder.
 * @throws TemplateProblem for links that lead out of the folder, for special files, and above the limits
 */
export async function listFiles(folder: string): Promise<readonly FoundFile[]> {
  const root = await realpath(folder);
  const found: FoundFile[] = [];
  const walk = async (inside: string, realFolder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(realFolder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const place = join(realFolder, entry.name);
      const realPath = entry.isSymbolicLink() ? await followLink(place, path) : place;
      if (!isWithin(root, realPath)) {
        throw new TemplateProblem(`${show(path)}: is a link that leads out of the folder of the template`);
      }
      const state = await stat(realPath, { bigint: true });
      if (state.isDirectory()) {
        if (depth === MAX_DEPTH) {
          throw new TemplateProblem(`${show(path)}: lies deeper than ${MAX_DEPTH} folders`);
        }
        await walk(path, realPath, depth + 1);
      } else if (state.isFile()) {
        if (found.length === MAX_FILES) throw new TemplateProblem(`has more than ${MAX_FILES} files`);
        const { ino, size, mtimeNs, ctimeNs } = state;
        found.push({ path, realPath, bytes: Number(size), state: `${ino} ${size} ${mtimeNs} ${ctimeNs}` });
      } else {
        throw new TemplateProblem(`${show(path)}: is neither a file nor a folder`);
      }
    }
  };
  await walk('', root, 1);
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function followLink(place: string, path: string): Promise<string> {
  return realpath(place).catch((error: unknown) => {
    throw new TemplateProblem(`${show(path)}: ${linkProblem(error)}`);
  });
}

/** True if the real path lies below the real folder. */
export function isWithin(root: string, realPath: string): boolean {
  return realPath.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function linkProblem(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'is a link to nothing';
  if (errorCode(error) === 'ELOOP') return 'is a link to itself';
  return `can't be read (${errorCode(error) ?? 'unknown reason'})`;
}

function show(path: string): string {
  return quoted(path, MAX_SHOWN_PATH).slice(1, -1);
}
