import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files of templates by path. Objects are written as JSON. */
export type TemplateFiles = Readonly<Record<string, string | Buffer | object>>;

/** A new folder for the setting TEMPLATES_DIR. Removed when it is disposed. */
export async function templateFolders(files: TemplateFiles) {
  const folder = await mkdtemp(join(tmpdir(), 'templates-test-'));
  const write = async (more: TemplateFiles): Promise<void> => {
    for (const [path, content] of Object.entries(more)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
      await writeFile(join(folder, path), isRaw ? content : JSON.stringify(content));
    }
  };
  await write(files);
  return {
    folder,
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
