import { hasOwnText, hasSentence, isReference, lengthOf, oneLine } from './furniture.ts';

// Cards for other pages: boxes beside each other. Each has a title that is a link, and few other words.

const TITLES = 'h1, h2, h3, h4, h5, h6';
/** Most characters of a card, and fewest characters of its title. */
const MOST_CARD = 500;
const LEAST_TITLE = 12;
/** Characters of a title that is one of another page, whatever the card says. */
const LONG_TITLE = 30;
const LEAST_CARDS = 3;
/** Share of the boxes beside each other that are cards. */
const LEAST_SHARE = 0.7;
/** Characters and paragraphs of an article beside cards. Other pages may be the list of cards itself. */
const LEAST_TEXT = 1_000;
const LEAST_PARAGRAPHS = 4;
const MOST_PARAGRAPHS = 200;
/** Each paragraph is looked for in each list. */
const MOST_LISTS = 100;

/**
 * Removes cards beside an article. A page that is a list of cards keeps them. Returns true if sentences of theirs went.
 */
export function removeCards(region: Element): boolean {
  const lists = listsOfCards(region).slice(0, MOST_LISTS);
  if (lists.length === 0 || !hasArticle(region, lists)) return false;
  for (const list of lists) list.remove();
  return lists.some((list) => hasSentence(list));
}

function hasArticle(region: Element, lists: readonly Element[]): boolean {
  const paragraphs = [...region.querySelectorAll('p')]
    .filter((each) => hasSentence(each) && !lists.some((list) => list.contains(each)))
    .slice(0, MOST_PARAGRAPHS)
    .filter((each) => !isInCard(each, region));
  const length = paragraphs.reduce((sum, each) => sum + lengthOf(each), 0);
  return paragraphs.length >= LEAST_PARAGRAPHS && length >= LEAST_TEXT;
}

/** True for a text whose nearest title is that of a card. */
function isInCard(text: Element, region: Element): boolean {
  let outer = text.parentElement;
  while (outer !== null && outer !== region && outer.querySelector(TITLES) === null) outer = outer.parentElement;
  return outer !== null && hasLinkedTitle(outer);
}

function listsOfCards(element: Element): readonly Element[] {
  const lists: Element[] = [];
  for (const child of element.children) {
    const parts = [...child.children].filter((each) => each.querySelector(TITLES) !== null);
    if (parts.length >= LEAST_CARDS && isListOfCards(child, parts)) lists.push(child);
    else if (parts.length > 0) lists.push(...listsOfCards(child));
  }
  return lists;
}

function isListOfCards(list: Element, parts: readonly Element[]): boolean {
  const filled = [...list.children].filter((each) => lengthOf(each) > 0).length;
  return parts.filter((each) => isCard(each)).length >= Math.max(LEAST_CARDS, filled * LEAST_SHARE);
}

function isCard(element: Element): boolean {
  const title = element.querySelector(TITLES);
  if (title === null || !hasLinkedTitle(element) || element.querySelector('pre, ul, ol, table') !== null) return false;
  const link = linkOf(title);
  if (link !== null && isReference(link)) return false;
  return lengthOf(title) >= LONG_TITLE || !hasWholeSentence(element, title);
}

function hasLinkedTitle(element: Element): boolean {
  const title = element.querySelector(TITLES);
  if (title === null || element.matches(TITLES) || lengthOf(element) > MOST_CARD) return false;
  const [link, length] = [linkOf(title), lengthOf(title)];
  return link !== null && length >= LEAST_TITLE && lengthOf(link) >= length / 2;
}

function linkOf(title: Element): Element | null {
  return title.closest('a[href]') ?? title.querySelector('a[href]');
}

/** True for a card with a whole sentence beside its title. The text of a teaser is often cut off with dots. */
function hasWholeSentence(element: Element, title: Element): boolean {
  return [...element.querySelectorAll('*')].some(
    (each) =>
      hasOwnText(each) &&
      hasSentence(each, true) &&
      !title.contains(each) &&
      !/(?:…|\.\.\.)$/.test(oneLine(each.textContent)),
  );
}
