import type { default as Converter, MarkdownIt, StateCore, Token } from 'markdown-it';

/** `markdown-it` and its plug-in for footnotes. */
export interface MarkdownPackages {
  readonly MarkdownIt: typeof Converter;
  readonly footnotes: (markdown: MarkdownIt) => void;
}

/** Values between two lines of dashes at the start of a text. Other text between such lines is a heading. */
const FRONT_MATTER = /^---[ \t]*\n((?:(?:\w[\w-]*:|[ \t#-]).*\n|\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const KEY = /^\w[\w-]*:/m;
const TITLE = /^title:[ \t]*([^>|\s].*)$/m;
const ALERT = /^\[!(note|tip|important|warning|caution)\][ \t]*$/i;
const TASK = /^\[([ xX])\]\s/;

/**
 * Returns a converter for CommonMark with tables, footnotes, task lists, alerts, links for addresses and ids of
 * headings, as on GitHub. HTML in the text is escaped, and values at its start (front matter) are left out.
 */
export function createMarkdown({ MarkdownIt: Class, footnotes }: MarkdownPackages): MarkdownIt {
  // Footnotes inside of the text are not on GitHub, and their nesting takes long to read.
  const markdown = new Class({ html: false, linkify: true }).use(footnotes).disable('footnote_inline');
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }).add('//', null); // README.md is no address
  markdown.core.ruler.before('block', 'front_matter', leaveOutFrontMatter);
  markdown.core.ruler.push('alerts', markAlerts);
  markdown.core.ruler.push('heading_ids', addIds);
  markdown.core.ruler.push('task_lists', addBoxes);
  return markdown;
}

/** Returns the title of a converted text: that of its front matter, or its first heading. */
export function titleOf(tokens: readonly Token[], { title }: Readonly<Record<string, unknown>>): string {
  if (typeof title === 'string' && title !== '') return title;
  const heading = tokens.find((_token, index) => tokens[index - 1]?.type === 'heading_open');
  return heading === undefined ? '' : textOf(heading);
}

/** Returns the text of a heading, without its markup. */
function textOf({ children }: Token): string {
  return (children ?? []).map(({ content }) => content).join('');
}

function leaveOutFrontMatter(state: StateCore): void {
  const [whole, values = ''] = FRONT_MATTER.exec(state.src) ?? [];
  if (whole === undefined || !KEY.test(values)) return;
  state.src = state.src.slice(whole.length);
  const [, title = ''] = TITLE.exec(values) ?? [];
  state.env['title'] = title.trim().replace(/^(["'])(.*)\1$/, '$2');
}

/** Replaces `[!NOTE]` at the start of a quote by the word, and gives the quote a class. */
function markAlerts({ tokens, Token }: StateCore): void {
  for (const [index, quote] of tokens.entries()) {
    const children = tokens[index + 2]?.children ?? [];
    const [mark, end] = children;
    const [, kind = ''] = ALERT.exec(mark?.content ?? '') ?? [];
    if (quote.type !== 'blockquote_open' || kind === '') continue;
    if (end !== undefined && end.type !== 'softbreak' && end.type !== 'hardbreak') continue;
    const name = new Token('html_inline', '', 0);
    name.content = `<strong>${kind.slice(0, 1).toUpperCase()}${kind.slice(1).toLowerCase()}</strong>${end === undefined ? '' : '<br>'}`;
    children.splice(0, 2, name);
    quote.attrSet('class', `alert ${kind.toLowerCase()}`);
  }
}

/** Lower case, without punctuation, with `-` for spaces. Repeated headings get a number. */
function addIds({ tokens }: StateCore): void {
  const next = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type !== 'heading_open' || inline === undefined) continue;
    const slug = textOf(inline)
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    let id = slug;
    let number = next.get(slug) ?? 0;
    while (next.has(id)) id = `${slug}-${++number}`;
    next.set(slug, number);
    next.set(id, next.get(id) ?? 0);
    if (id !== '') token.attrSet('id', id);
  }
}

/** Replaces `[ ]` and `[x]` at the start of list items by boxes. */
function addBoxes({ tokens, Token }: StateCore): void {
  for (const [index, item] of tokens.entries()) {
    const text = tokens[index + 2]?.children?.[0];
    const [mark, state] = TASK.exec(text?.content ?? '') ?? [];
    if (item.type !== 'list_item_open' || text?.type !== 'text' || mark === undefined) continue;
    text.content = text.content.slice(mark.length);
    const box = new Token('html_inline', '', 0);
    box.content = `<input type="checkbox" disabled${state === ' ' ? '' : ' checked'}> `;
    tokens[index + 2]?.children?.unshift(box);
    item.attrSet('class', 'task-list-item');
  }
}
