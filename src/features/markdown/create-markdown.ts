import type { default as Converter, MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';

/** `markdown-it` and its plug-in for footnotes. */
export interface MarkdownPackages {
  readonly MarkdownIt: typeof Converter;
  readonly footnotes: (markdown: MarkdownIt) => void;
  /** Undefined for a text without formulas, which stay as they are then. */
  readonly katex?: Formulas | undefined;
}

/** The used part of KaTeX. */
interface Formulas {
  readonly renderToString: (
    tex: string,
    options: { readonly output: 'mathml'; readonly throwOnError: boolean; readonly displayMode: boolean },
  ) => string;
}

/** Values between two lines of dashes at the start of a text. Other text between such lines is a heading. */
const FRONT_MATTER = /^---[ \t]*\n((?:(?:\w[\w-]*:|[ \t#-]).*\n|\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const KEY = /^\w[\w-]*:/m;
const TITLE = /^title:[ \t]*([^>|\s].*)$/m;
const ALERT = /^\[!(note|tip|important|warning|caution)\][ \t]*$/i;
const TASK = /^\[([ xX])\]\s/;
/** The HTML that texts may have: line breaks, and letters below and above the line. */
const PLAIN_TAG = /<(?:br\s?\/?|\/?su[bp])>/iy;
/** TeX between dollar signs. Prices are none: no space may follow the first sign, and no digit the last. */
const FORMULA = /\$\$((?:\\[\s\S]|[^\\$]){1,10000})\$\$|\$(?!\s)((?:\\.|[^\\$\n]){1,1000})(?<!\s)\$(?!\d)/y;
/** A line that begins a new sheet, as it is written for other programs, too. */
const PAGE_BREAK =
  /^(?:<!--\s*page-?break\s*-->|\\(?:newpage|pagebreak)|<div style="(?:page-)?break-after:\s?(?:always|page);?"><\/div>)$/i;
const LONG_WORD = /[^\s|]{25}/;
const CONTENTS = /^\[\[?toc\]?\]$/i;
const LOWEST_IN_CONTENTS = 3;
const MOST_IN_CONTENTS = 1_000;

/**
 * Returns a converter for CommonMark with tables, footnotes, task lists, alerts, links for addresses and ids of
 * headings, as on GitHub. `<br>`, `<sub>` and `<sup>`, page breaks, `[[toc]]` and TeX are known. Other HTML in the text
 * is escaped, and values at its start (front matter) are left out.
 */
export function createMarkdown({ MarkdownIt: Class, footnotes, katex }: MarkdownPackages): MarkdownIt {
  // Footnotes inside of the text are not on GitHub, and their nesting takes long to read.
  const markdown = new Class({ html: false, linkify: true }).use(footnotes).disable('footnote_inline');
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false }).add('//', null); // README.md is no address
  markdown.core.ruler.before('block', 'front_matter', leaveOutFrontMatter);
  markdown.core.ruler.push('alerts', markAlerts);
  markdown.core.ruler.push('heading_ids', addIds);
  markdown.core.ruler.push('task_lists', addBoxes);
  markdown.core.ruler.push('contents', addContents);
  markdown.core.ruler.push('long_words', markLongCells);
  markdown.inline.ruler.before('autolink', 'plain_tags', keepTag);
  markdown.block.ruler.before('paragraph', 'page_break', breakPage, { alt: ['paragraph'] });
  if (katex !== undefined)
    markdown.inline.ruler.before('escape', 'formulas', (...step) => writeFormula(katex, ...step));
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

/** Marks cells with words that are too long for a column. Only they may break between letters. */
function markLongCells({ tokens }: StateCore): void {
  for (const [index, cell] of tokens.entries())
    if (/^t[dh]_open$/.test(cell.type) && LONG_WORD.test(tokens[index + 1]?.content ?? ''))
      cell.attrSet('class', 'long');
}

function keepTag(state: StateInline, isSilent: boolean): boolean {
  PLAIN_TAG.lastIndex = state.pos;
  const [tag] = PLAIN_TAG.exec(state.src) ?? [];
  if (tag === undefined) return false;
  if (!isSilent) state.push('html_inline', '', 0).content = tag.toLowerCase();
  state.pos += tag.length;
  return true;
}

/** Writes TeX as MathML, which browsers draw. */
function writeFormula(katex: Formulas, state: StateInline, isSilent: boolean): boolean {
  FORMULA.lastIndex = state.pos;
  const [whole, shown, inLine = ''] = FORMULA.exec(state.src) ?? [];
  if (whole === undefined) return false;
  const options = { output: 'mathml', throwOnError: false, displayMode: shown !== undefined } as const;
  if (!isSilent) state.push('html_inline', '', 0).content = katex.renderToString(shown ?? inLine, options);
  state.pos += whole.length;
  return true;
}

function breakPage(state: StateBlock, line: number, _end: number, isSilent: boolean): boolean {
  const written = state.getLines(line, line + 1, state.blkIndent, false).trim();
  if (!PAGE_BREAK.test(written)) return false;
  if (!isSilent) state.push('html_block', '', 0).content = '<div class="page-break"></div>\n';
  state.line = line + 1;
  return true;
}

/** Replaces paragraphs that are `[[toc]]` by a list of the headings. */
function addContents({ tokens, Token, md }: StateCore): void {
  for (const [index, paragraph] of tokens.entries()) {
    if (paragraph.type !== 'paragraph_open' || !CONTENTS.test(tokens[index + 1]?.content ?? '')) continue;
    const listed = new Token('html_block', '', 0);
    listed.content = contentsOf(tokens, md.utils.escapeHtml);
    tokens.splice(index, 3, listed);
    return; // one is enough: several would make a text of many lists
  }
}

function contentsOf(tokens: readonly Token[], escape: (text: string) => string): string {
  const headings = tokens.flatMap((token, index) => {
    const level = Number(token.tag.slice(1));
    const inline = tokens[index + 1];
    if (token.type !== 'heading_open' || inline === undefined || level > LOWEST_IN_CONTENTS) return [];
    return [{ level, id: String(token.attrGet('id') ?? ''), text: textOf(inline) }];
  });
  const items = headings
    .slice(0, MOST_IN_CONTENTS)
    .map(({ level, id, text }) => `<li class="level-${level}"><a href="#${escape(id)}">${escape(text)}</a></li>`);
  return `<nav class="contents"><ul>\n${items.join('\n')}\n</ul></nav>\n`;
}
