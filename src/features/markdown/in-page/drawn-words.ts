import { all, boxesOf, boxOf, closest, computed, first, nameOf, read } from '../../../core/steps/in-page/nodes.ts';

/** Drawings that are smaller, in CSS pixels, are icons: what they are called is no text of the page. */
const LEAST_SIDE = 48;
/** Height in CSS pixels from which a drawing is no part of a line. */
const LEAST_HEIGHT = 80;
/** Limits for maps and charts with very many labels. */
const MOST_TEXTS = 300;
const MOST_CHARACTERS = 5_000;
const BETWEEN = ' · ';

/** Returns a copy of the words of a drawing: a paragraph, or a text for one that is as low as a line. */
export function drawingCopy(drawing: Element, copy: Document): Node | undefined {
  const words = drawnWords(drawing);
  if (words === '') return undefined;
  if (boxOf(drawing).height < LEAST_HEIGHT) return copy.createTextNode(` ${words} `);
  const made = copy.createElement('p');
  made.append(words);
  return made;
}

/** Returns the words that a drawing shows: its title and description, and its labels in their order. */
function drawnWords(drawing: Element): string {
  const { width, height } = boxOf(drawing);
  if (width < LEAST_SIDE || height < LEAST_SIDE) return '';
  const named = ['title', 'desc'].flatMap((name) => {
    const facts = first(drawing, `:scope > ${name}`);
    return facts === null ? [] : [oneLine(read(Node.prototype, facts, 'textContent') ?? '')];
  });
  const labels = all(drawing, 'text, foreignObject')
    .slice(0, MOST_TEXTS)
    .filter((text) => boxesOf(text).length > 0 && computed(text).visibility === 'visible')
    .map(wordsOf);
  const words = [...new Set([...named, ...labels])].filter((text) => text !== '');
  return words.join(BETWEEN).slice(0, MOST_CHARACTERS);
}

/** A label of several lines has one element for each, with no space between two of them. */
function wordsOf(label: Element): string {
  const lines =
    nameOf(label) === 'text' ? all(label, 'tspan').filter((line) => closest(line, '[x], [dy]') === line) : [];
  const texts = lines.length > 1 ? lines : [label];
  return oneLine(texts.map((each) => read(Node.prototype, each, 'textContent') ?? '').join(' '));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
