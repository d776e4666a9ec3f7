import { FORMULA, FORMULA_BLOCK, TASK_BOX } from '../element-copier.ts';
import { NOTE, NOTE_MARK } from '../footnotes.ts';
import { addBreakRule } from './line-breaks.ts';
import { addListRules } from './list-rules.ts';
import { lowered, raised } from '../scripts.ts';
import type { Rule, Turndown, TurndownClass } from './turndown.ts';

/**
 * Placeholder for the start of a link until the conversion ends: after a "!" in the text, the link would become a
 * picture. The placeholder is removed from texts of the page.
 */
const linkMark = '\0';

/**
 * Converts an element with prepared tables to markdown (CommonMark, with tables, task lists and strikethrough of
 * GitHub). Runs in the page, on a copy.
 */
export function toMarkdown(root: Element, Turndown: TurndownClass): string {
  const service = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.escape = escape;
  addTextRules(service);
  addMeaningRules(service);
  addListRules(service);
  addBreakRule(service);
  addLinkRules(service);
  addTableRules(service);
  partCode(root);
  return service
    .turndown(root)
    .replaceAll(`!${linkMark}`, String.raw`\!`)
    .replaceAll(linkMark, '');
}

/** Separates pieces of code that touch each other. Their marks would make one piece of both. */
function partCode(root: Element): void {
  for (const code of root.querySelectorAll('code + code'))
    if (code.previousSibling === code.previousElementSibling) code.before(' ');
}

const LETTER = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

function escape(text: string): string {
  if (!/[^\p{L}\p{N}\s,'"!?:;/]/u.test(text)) return text; // most texts need no escaping
  return (
    text
      .replaceAll(/[\\`*[\]~]/g, String.raw`\$&`)
      // an underscore has no meaning inside a word
      .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
      // escaped also at the end of the text, because the next text may continue it
      .replaceAll(/<(?=[a-z/!?]|$)/gi, String.raw`\<`)
      .replaceAll(/&(?=#?\w+;)/g, String.raw`\&`)
      .replace(/^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-+\s*$)/, String.raw`$1\$2`)
      .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, String.raw`$1\$2`)
  );
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\n\r]\s*/g, ' ');
}

/** Code is not escaped. */
function isInCode(node: Element): boolean {
  return node.closest('code') !== null;
}

/**
 * Within one paragraph only: across several, the marks would be text. Beside a letter, marks do not open before or
 * close after punctuation, as in Chinese and Japanese, so the element is written as HTML.
 */
function marked(marks: string, tag: string): Rule['replacement'] {
  return (content, node) => {
    if (content.trim() === '' || /\n\s*\n/.test(content) || content.startsWith(marks) || isInCode(node)) return content;
    // White space inside of the element is moved out of it.
    const [first = '', last = ''] = [node.textContent.at(0), node.textContent.at(-1)];
    const before = first.trim() === '' ? '' : (node.previousSibling?.textContent?.at(-1) ?? '');
    const after = last.trim() === '' ? '' : (node.nextSibling?.textContent?.at(0) ?? '');
    const opens = !(LETTER.test(before) && PUNCTUATION.test(first));
    const closes = !(LETTER.test(after) && PUNCTUATION.test(last));
    return opens && closes ? `${marks}${content}${marks}` : `<${tag}>${content}</${tag}>`;
  };
}

/** Encodes `&`, because `&colon;` would be displayed as the character that it names. */
function target(address: string): string {
  return address
    .replaceAll(/[()\s<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
    .replaceAll(/&(?=#?\w+;)/g, '&amp;');
}

function addTextRules(service: Turndown): void {
  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, { localName }) => {
      const line = oneLine(content).replace(/(?<=^|\s)(?=#{1,100}$)/, '\\'); // it would close the heading
      return line === '' ? '' : `\n\n${'#'.repeat(Number(localName.slice(1)))} ${line}\n\n`;
    },
  });
  service.addRule('emphasis', { filter: ['em', 'i'], replacement: marked('*', 'em') });
  service.addRule('strong', { filter: ['strong', 'b'], replacement: marked('**', 'strong') });
  service.addRule('deleted', { filter: ['del', 's', 'strike'], replacement: marked('~~', 'del') });
  service.addRule('task', {
    filter: (node) => node.className === TASK_BOX,
    replacement: (_content, node) => `${node.textContent} `,
  });
  service.addRule('code block', {
    filter: (node) => node.localName === 'pre',
    replacement: (_content, node) => {
      const text = node.textContent.replace(/\n$/, '');
      let longest = 2;
      for (const [, ticks = ''] of text.matchAll(/^[\t ]*(`{3,})/gm)) longest = Math.max(longest, ticks.length);
      const fence = '`'.repeat(longest + 1);
      const [, language = ''] = /(?:^|\s)language-([\w+#.-]+)/.exec(node.firstElementChild?.className ?? '') ?? [];
      return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
    },
  });
}

/**
 * TeX is not escaped, so it must not hold HTML or links: their addresses were not checked. What could end the formula
 * or begin a link is written as code between the marks, as on GitHub.
 */
function writtenFormula(tex: string, marks: string): string {
  if (!/[$`]|\]\(|!\[/.test(tex)) return `${marks}${tex.replaceAll(/<\s*/g, String.raw`\lt `)}${marks}`;
  const longest = Math.max(0, ...Array.from(tex.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const isPadded = tex.startsWith('`') || tex.endsWith('`');
  return `$${fence}${isPadded ? ` ${tex} ` : tex}${fence}$`;
}

function isAlone(node: Element): boolean {
  return node.querySelector('*') === null && !isInCode(node);
}

/** What would change its meaning as plain text. */
function addMeaningRules(service: Turndown): void {
  service.addRule('exponent', {
    filter: 'sup',
    replacement: (content, node) =>
      isAlone(node) ? escape(raised(node.textContent, node.previousSibling?.textContent ?? '')) : content,
  });
  service.addRule('index', {
    filter: 'sub',
    replacement: (content, node) => (isAlone(node) ? escape(lowered(node.textContent)) : content),
  });
  service.addRule('formula', {
    filter: (node) => node.className === FORMULA,
    replacement: (_content, node) => writtenFormula(node.textContent, '$'),
  });
  service.addRule('formula block', {
    filter: (node) => node.className === FORMULA_BLOCK,
    replacement: (_content, node) => `\n\n${writtenFormula(node.textContent, '$$')}\n\n`,
  });
  service.addRule('reading', { filter: 'rt', replacement: (content) => (content.trim() === '' ? '' : `(${content})`) });
  service.addRule('parenthesis', { filter: 'rp', replacement: () => '' });
  service.addRule('quotation', { filter: 'q', replacement: (content) => `“${content}”` });
  service.addRule('key', {
    filter: ['kbd', 'samp'],
    replacement: (content, node) =>
      isInCode(node) || !isAlone(node) || /[`\n]/.test(content) ? content : `\`${node.textContent}\``,
  });
  service.addRule('term', {
    filter: 'dt',
    replacement: (content) =>
      content.trim() === ''
        ? ''
        : `\n\n${/\n|\*\*/.test(content.trim()) ? content.trim() : `**${content.trim()}**`}\n\n`,
  });
  service.addRule('note mark', {
    filter: (node) => node.className === NOTE_MARK,
    replacement: (_content, node) => node.textContent,
  });
  service.addRule('note', {
    filter: (node) => node.className === NOTE,
    replacement: (content, node) =>
      `\n\n[^${node.getAttribute('title') ?? ''}]: ${content.trim().replaceAll(/\n(?!\n)/g, '\n    ')}\n\n`,
  });
}

function addLinkRules(service: Turndown): void {
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => {
      const address = node.getAttribute('href');
      if (address === null || isInCode(node)) return content;
      const lines = content.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
      const label = node.getAttribute('aria-label') ?? node.getAttribute('title') ?? '';
      const [first = escape(oneLine(label)), ...rest] = lines;
      if (first === '') return '';
      // In a card, the heading becomes the link, because a link can hold only one line.
      const [, marks, heading] = /^(#{1,6} )(.*)$/.exec(first) ?? [];
      if (marks !== undefined) return `\n\n${marks}[${heading ?? ''}](${target(address)})\n\n${rest.join('\n\n')}\n\n`;
      return `${linkMark}[${[first, ...rest].join(' ')}](${target(address)})`;
    },
  });
  service.addRule('picture', {
    filter: 'img',
    replacement: (_content, node) =>
      `![${escape(oneLine(node.getAttribute('alt') ?? ''))}](${target(node.getAttribute('src') ?? '')})`,
  });
}

function addTableRules(service: Turndown): void {
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) =>
      `| ${content
        .trim()
        .replaceAll('|', String.raw`\|`)
        .replaceAll(/\s*\n\s*/g, '<br>')} `,
  });
  service.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      if (node.className !== 'head') return `\n${content}|\n`;
      const lines = [...node.children].map((cell) => {
        const align = cell.getAttribute('align');
        return align === 'right' ? '---:' : align === 'center' ? ':---:' : '---';
      });
      return `\n${content}|\n| ${lines.join(' | ')} |\n`;
    },
  });
  service.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
}
