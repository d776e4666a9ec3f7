// Converts README.md and docs/ to pages of the running service.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join('programs', 'playground', 'guides');
const IMAGES = join('docs', 'images');
/** Guides outside of docs/. */
const OTHERS = ['SECURITY.md', 'UPGRADING.md', 'CHANGELOG.md'];
const SHELL = join(dirname(fileURLToPath(import.meta.url)), 'guide.html');

/** Returns the source files of the guides, for the set-up to notice changes. */
export function listGuides(root) {
  const inDocs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...inDocs.sort().map((name) => join('docs', name)), ...OTHERS];
}

/** Returns the files that the build makes, relative to dist/. */
export function guideOutputs(root) {
  return [
    ...listGuides(root).map((file) => join(FOLDER, `${nameOf(file)}.html`)),
    ...listImages(root).map(imageOutput),
  ];
}

/** Writes the guides into dist/. */
export async function buildGuides(root) {
  const { default: MarkdownIt } = await import('markdown-it'); // the set-up reads this file before it installs packages
  const files = listGuides(root);
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const titles = new Map(files.map((file) => [file, /^# (.+)$/m.exec(read(file))?.[1] ?? file]));
  titles.set('README.md', 'Overview');
  const shell = readFileSync(SHELL, 'utf8');
  mkdirSync(join(root, 'dist', FOLDER, 'images'), { recursive: true });
  for (const file of files) {
    const contents = files.map((each) => {
      const current = each === file ? ' aria-current="page"' : '';
      return `<li><a href="guides/${nameOf(each)}"${current}>${escapeHtml(titles.get(each))}</a></li>`;
    });
    const parts = {
      title: escapeHtml(titles.get(file)),
      name: nameOf(file),
      contents: `<ul>${contents.join('')}</ul>`,
      content: toHtml(read(file), file, new Set(files), new MarkdownIt({ html: true })),
    };
    const page = shell.replaceAll(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
    writeFileSync(join(root, 'dist', FOLDER, `${nameOf(file)}.html`), page);
  }
  for (const image of listImages(root)) copyFileSync(join(root, image), join(root, 'dist', imageOutput(image)));
}

/** Links between guides stay links. Files that the service does not serve become text. */
function toHtml(text, file, guides, markdown) {
  const numbers = new Map();
  markdown.core.ruler.push('places', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', slugOf(tokens[index + 1].content, numbers));
      // The policy of the page allows no styles in attributes.
      const [, side] = /text-align:(\w+)/.exec(token.attrGet('style') ?? '') ?? [];
      if (side !== undefined) token.attrs = [['class', `to-${side}`]];
      if (token.type === 'table_open') token.attrSet('tabindex', '0'); // it scrolls sideways, as code does
      for (const child of token.children ?? []) place(child, file, guides);
    }
  });
  const html = markdown.render(text).replaceAll('<pre>', '<pre tabindex="0">');
  return html.replaceAll(/(<img [^>]*?src=")([^"]+)/g, (_, before, source) => before + imageAddress(source, file));
}

function place(token, file, guides) {
  if (token.type !== 'link_open') return;
  const [path, fragment] = token.attrGet('href').split('#');
  if (/^https?:/.test(path)) return;
  const target = path === '' ? file : normalize(join(dirname(file), path));
  if (guides.has(target))
    token.attrSet('href', `guides/${nameOf(target)}${fragment === undefined ? '' : `#${fragment}`}`);
  else token.attrs = [];
}

function imageAddress(source, file) {
  const path = normalize(join(dirname(file), source));
  return path.startsWith(IMAGES) ? `playground/guides/images/${path.slice(IMAGES.length + 1)}` : source;
}

/** The id that GitHub gives to a heading, so that the same links work in both places. */
function slugOf(heading, numbers) {
  const slug = heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const number = numbers.get(slug) ?? 0;
  numbers.set(slug, number + 1);
  return number === 0 ? slug : `${slug}-${number}`;
}

function listImages(root) {
  return readdirSync(join(root, IMAGES), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(webp|png|svg)$/.test(entry.name))
    .map((entry) => join(IMAGES, entry.name));
}

function imageOutput(image) {
  return join(FOLDER, 'images', image.slice(IMAGES.length + 1));
}

function nameOf(file) {
  return file.split('/').at(-1).replace(/\.md$/, '').toLowerCase();
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
