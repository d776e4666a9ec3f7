import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const USUAL_CONFIG_FOLDER = '/etc/fonts';
/** Folders of a machine whose configuration names none. */
const USUAL_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts'];
/** A machine with all fonts of Debian has fewer files. */
const MOST_FILES = 20_000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the SHA-256 of what decides the fonts of a browser: the configuration of fontconfig, and names and sizes of
 * the files in its folders.
 * @param environment variables of the browser
 */
export async function digestOfFonts(environment: Environment): Promise<string> {
  const { FONTCONFIG_FILE: file, FONTCONFIG_PATH: folder = USUAL_CONFIG_FOLDER } = environment;
  const config = await readFile(file ?? join(folder, 'fonts.conf'), 'utf8').catch(() => '');
  const named = [...config.matchAll(/<dir\b[^>]*>\s*([^<~][^<]*?)\s*<\/dir>/g)].map(([, path = '']) => path);
  const folders = named.length === 0 ? USUAL_FOLDERS : named;
  const files: string[] = [];
  for (const each of folders) {
    const paths: readonly string[] = await readdir(each, { recursive: true }).catch(() => []);
    for (const path of paths.toSorted().slice(0, MOST_FILES - files.length)) {
      const found = await stat(join(each, path)).catch(() => undefined);
      if (found?.isFile() === true) files.push(`${path} ${found.size}`);
    }
  }
  return createHash('sha256')
    .update(JSON.stringify([config, files]))
    .digest('hex');
}
