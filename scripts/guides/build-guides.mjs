// Converts README.md and docs/ to pages of the running service, to Markdown for programs, and to an index for the search.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join('programs', 'playground', 'guides');
const IMAGES = join('docs', 'images');
/** Guides outside of docs/. */
const OTHERS = ['SECURITY.md', 'UPGRADING.md', 'CHANGELOG.md'];
/** The list of the guides for language models, as https://llmstxt.org describes it. */
const LIST = join(FOLDER, 'llms.txt');
/** Texts of all sections, for the search. */
const INDEX = join(FOLDER, 'search.json');
const SHELL = join(dirname(fileURLToPath(import.meta.url)), 'guide.html');

/** Returns the source files of the guides, for the set-up to notice changes. */
export function listGuides(root) {
  const inDocs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...inDocs.sort().map((name) => join('docs', name)), ...OTHERS];
}

/** Returns the files that the build makes, relative to dist/. */
export function guideOutputs(root) {
  return [
    ...listGuides(root).flatMap((file) => ['html', 'md'].map((type) => join(FOLDER, `${nameOf(file)}.${type}`))),
    ...listImages(root).map(imageOutput),
    LIST,
    INDEX,
  ];
}

/** Writes the guides into dist/. */
export async function buildGuides(root) {
  const { default: MarkdownIt } = await import('markdown-it'); // the set-up reads this file before it installs packages
  const files = listGuides(root);
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const titles = new Map(files.map((file) => [file, /^# (.+)$/m.exec(read(file))?.[1] ?? file]));
  titles.set('README.md', 'Overview');
  const groups = groupsOf(read('README.md'), files);
  const shell = readFileSync(SHELL, 'utf8');
  mkdirSync(join(root, 'dist', FOLDER, 'images'), { recursive: true });
  for (const file of files) {
    const parts = {
      title: escapeHtml(titles.get(file)),
      name: nameOf(file),
      contents: groups.map(([group, members]) => listOf(group, members, { file, titles })).join(''),
      content: toHtml(read(file), file, new Set(files), new MarkdownIt({ html: true })),
    };
    const page = shell.replaceAll(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
    const output = join(root, 'dist', FOLDER, nameOf(file));
    writeFileSync(`${output}.html`, page);
    writeFileSync(`${output}.md`, toMarkdown(read(file), file, new Set(files)));
  }
  writeFileSync(join(root, 'dist', LIST), toList(read('README.md'), groups, titles));
  const sections = files.flatMap((file) => sectionsOf(read(file), { guide: nameOf(file), title: titles.get(file) }));
  writeFileSync(join(root, 'dist', INDEX), JSON.stringify(sections));
  for (const image of listImages(root)) copyFileSync(join(root, image), join(root, 'dist', imageOutput(image)));
}

/** Returns the guides in the groups of README.md, with those that it does not name at the end. */
function groupsOf(readme, files) {
  const [, documentation] = readme.split('\n## Documentation\n');
  const named = [...documentation.matchAll(/^\*\*(.+?):\*\* (.+)$/gm)].map(([, group, links]) => [
    group,
    [...links.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path).filter((path) => files.includes(path)),
  ]);
  const known = new Set(named.flatMap(([, members]) => members));
  const rest = files.filter((file) => file !== 'README.md' && !known.has(file));
  return [['', ['README.md']], ...named, ['More', rest]].filter(([, members]) => members.length > 0);
}

function listOf(group, members, { file, titles }) {
  const items = members.map((each) => {
    const current = each === file ? ' aria-current="page"' : '';
    return `<li><a href="guides/${nameOf(each)}"${current}>${escapeHtml(titles.get(each))}</a></li>`;
  });
  const title = group === '' ? '' : `<p class="part">${escapeHtml(group)}</p>`;
  return `${title}<ul>${items.join('')}</ul>`;
}

function toList(readme, groups, titles) {
  const [, summary] = /^# .+\n\n(.+)$/m.exec(readme);
  const parts = groups.map(([group, members]) => {
    const lines = members.map((file) => `- [${titles.get(file)}](guides/${nameOf(file)}.md)`);
    return `## ${group === '' ? 'Start' : group}\n\n${lines.join('\n')}\n`;
  });
  return `# Capture service\n\n> ${summary}\n\nThe API: [OpenAPI 3.1](openapi.json).\n\n${parts.join('\n')}`;
}

/** Returns each section with the id of its heading, and its words without marks. */
function sectionsOf(text, guide) {
  const numbers = new Map();
  const withoutComments = text.replaceAll(/```[^]*?```/g, (code) => code.replaceAll(/^#/gm, ' #'));
  const blocks = withoutComments.split(/^#{1,3} (?=.+$)/m);
  return blocks.slice(1).map((block) => {
    const [heading, ...lines] = block.split('\n');
    const words = lines.join(' ').replaceAll(/\]\([^)]*\)|<!--.*?-->|[[\]*`|#]/g, ' ');
    return {
      ...guide,
      heading: heading.replaceAll('`', ''),
      id: slugOf(heading, numbers),
      text: words.replaceAll(/\s+/g, ' ').trim(),
    };
  });
}

/** As `toHtml`, for programs. */
function toMarkdown(text, file, guides) {
  return text.replaceAll(/\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)/g, (_, words, path, fragment = '') => {
    const target = normalize(join(dirname(file), path));
    if (path.startsWith('/') || !guides.has(target)) return words;
    return `[${words}](${nameOf(target)}.md${fragment})`;
  });
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
      placeLinks(token.children ?? [], file, guides);
    }
  });
  const html = markdown.render(text).replaceAll('<pre>', '<pre tabindex="0">');
  return html.replaceAll(/(<img [^>]*?src=")([^"]+)/g, (_, before, source) => before + imageAddress(source, file));
}

function placeLinks(tokens, file, guides) {
  let isHidden = false; // links do not contain links
  for (const token of tokens) {
    if (token.type === 'link_open') isHidden = !placeLink(token, file, guides);
    if (token.type === 'link_open' || token.type === 'link_close') token.hidden = isHidden;
  }
}

/** Returns false if the link leads nowhere. */
function placeLink(token, file, guides) {
  const [path, fragment] = token.attrGet('href').split('#');
  if (/^https?:/.test(path)) return true;
  const target = path === '' ? file : normalize(join(dirname(file), path));
  if (!guides.has(target)) return false;
  token.attrSet('href', `guides/${nameOf(target)}${fragment === undefined ? '' : `#${fragment}`}`);
  return true;
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
