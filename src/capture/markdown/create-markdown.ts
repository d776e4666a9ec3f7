import type { default as Converter, MarkdownIt, StateCore, Token } from 'markdown-it';

/** `markdown-it` and its plug-in for footnotes. */
export interface MarkdownPackages {
  readonly MarkdownIt: typeof Converter;
  readonly footnotes: (markdown: MarkdownIt) => void;
}

const TASK = /^\[([ xX])\]\s/;

/**
 * Returns a converter for CommonMark with tables, footnotes, task lists and ids of headings, as on GitHub. HTML in the
 * text is escaped.
 */
export function createMarkdown({ MarkdownIt: Class, footnotes }: MarkdownPackages): MarkdownIt {
  // Footnotes inside of the text are not on GitHub, and their nesting takes long to read.
  const markdown = new Class({ html: false }).use(footnotes).disable('footnote_inline');
  markdown.core.ruler.push('heading_ids', addIds);
  markdown.core.ruler.push('task_lists', addBoxes);
  return markdown;
}

/** Returns the text of a heading, without its markup. */
export function textOf({ children }: Token): string {
  return (children ?? []).map(({ content }) => content).join('');
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
