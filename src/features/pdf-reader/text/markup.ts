import type { PdfPage } from '../pdf-contents.ts';
import { type Block, blocksOf, textSize } from './blocks.ts';

const MOST_LEVELS = 6;
/** Pages that have the same line at their edge before it counts as a running head. */
const LEAST_REPEATED = 3;
/** A page with fewer has no running head: its lines are what it says. */
const LEAST_BLOCKS = 3;

/** Returns the markup of the pages: headings by their size, paragraphs, lists and tables. */
export function markupOf(pages: readonly PdfPage[]): string {
  const usual = textSize(pages);
  const blocks = withoutRunningHeads(pages.map((page) => blocksOf(page, usual)));
  const sizes = new Set(blocks.flatMap((block) => (block.kind === 'heading' ? [block.size] : [])));
  const levels = [...sizes].toSorted((a, b) => b - a);
  const markup: string[] = [];
  let isInList = false;
  for (const block of blocks) {
    if (isInList !== (block.kind === 'item')) markup.push(isInList ? '</ul>' : '<ul>');
    isInList = block.kind === 'item';
    markup.push(elementOf(block, levels));
  }
  if (isInList) markup.push('</ul>');
  return markup.join('\n');
}

function elementOf(block: Block, levels: readonly number[]): string {
  if (block.kind === 'paragraph') return `<p>${escaped(block.text)}</p>`;
  if (block.kind === 'item') return `<li>${escaped(block.text)}</li>`;
  if (block.kind === 'table') {
    const [head = [], ...rows] = block.rows;
    const cells = (row: readonly string[], name: string): string =>
      `<tr>${row.map((text) => `<${name}>${escaped(text)}</${name}>`).join('')}</tr>`;
    if (rows.length === 0) return `<p>${escaped(head.filter((text) => text !== '').join(' '))}</p>`;
    return `<table><thead>${cells(head, 'th')}</thead><tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table>`;
  }
  const level = Math.min(levels.indexOf(block.size) + 1, MOST_LEVELS);
  return `<h${level}>${escaped(block.text)}</h${level}>`;
}

/** Leaves out the first and the last line of a page if most pages have them: all after the first time. */
function withoutRunningHeads(pages: readonly (readonly Block[])[]): Block[] {
  const counts = new Map<string, number>();
  const edges = pages.map((blocks) => new Set([blocks[0], blocks.at(-1)]));
  for (const both of edges)
    for (const name of new Set([...both].map(nameOf)))
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Set<string>();
  return pages.flatMap((blocks, index) =>
    blocks.filter((block) => {
      const name = nameOf(block);
      if (name === undefined || blocks.length < LEAST_BLOCKS || edges[index]?.has(block) !== true) return true;
      const count = counts.get(name) ?? 0;
      if (count < LEAST_REPEATED || count < pages.length / 2) return true;
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    }),
  );
}

/** Returns the text of a line, whatever its number is. */
function nameOf(block: Block | undefined): string | undefined {
  return block === undefined || block.kind === 'table' ? undefined : block.text.replaceAll(/\d+/g, '#');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
