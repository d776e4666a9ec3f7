// Bundles page code: the functions in folders named in-page, which run in pages and are sent there as text.
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const IN_PAGE = `${sep}in-page${sep}`;
const FUNCTION = /^export (?:async )?function\*? (\w+)/gm;
/** Comments, white space and local names go: they are most of the text, which each capture sends. */
const MINIFY = { compress: false, mangle: { keepNames: false }, codegen: true };

/**
 * Returns a module with the exports of a file of page code. Each is a function whose text is self-contained: an
 * expression with all code that the function needs. It can't be called outside of a page.
 * @param file absolute path of a TypeScript file
 */
export async function bundlePageCode(file) {
  const { rolldown } = await import('rolldown'); // loaded only if something is bundled
  const names = [...readFileSync(file, 'utf8').matchAll(FUNCTION)].map(([, name]) => name);
  const modules = names.map(async (name) => {
    const entry = {
      name: 'entry',
      resolveId: (id) => (id === 'entry' ? id : undefined),
      load: (id) => (id === 'entry' ? `export { ${name} as default } from ${JSON.stringify(file)};` : undefined),
    };
    const build = await rolldown({ input: 'entry', plugins: [entry], platform: 'browser' });
    const { output } = await build.generate({
      format: 'iife',
      name: '_',
      exports: 'default',
      intro: '"use strict";',
      minify: MINIFY,
    });
    await build.close();
    const [, text] = /^var _=(.*);\s*$/s.exec(output[0].code) ?? [];
    if (text === undefined) throw new Error(`${name} of ${file} is no page code`);
    return `export const ${name} = runsInPage(${JSON.stringify(text)});`;
  });
  return `${RUNS_IN_PAGE}\n${(await Promise.all(modules)).join('\n')}\n`;
}

const RUNS_IN_PAGE = `const runsInPage = (text) => Object.assign(() => { throw new Error('this runs in a page'); }, { toString: () => text });`;

/** True for a module of page code, which other code must import as text. */
export function isPageCode(file) {
  return file.includes(IN_PAGE) && file.endsWith('.ts');
}

/** Vitest plugin that does what the build does: code outside of page code imports the text of page code. */
export function pageCode(root) {
  const source = join(root, 'src') + sep;
  return {
    name: 'page-code',
    enforce: 'pre',
    resolveId: {
      order: 'pre',
      async handler(id, importer) {
        if (importer === undefined || isPageCode(importer) || !id.includes('/in-page/')) return undefined;
        const found = await this.resolve(id, importer, { skipSelf: true });
        return found !== null && found.id.startsWith(source) && isPageCode(found.id) ? `${found.id}?page` : undefined;
      },
    },
    load: {
      order: 'pre',
      handler: (id) => (id.endsWith('.ts?page') ? bundlePageCode(id.slice(0, -'?page'.length)) : undefined),
    },
  };
}
