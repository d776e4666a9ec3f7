import {
  endsLikeSentence,
  hasFurnitureName,
  hasOwnText,
  hasSentence,
  isByline,
  isFurniture,
  isFurnitureLine,
  isNamedFurniture,
  isReference,
  isTeaser,
  startsLikeByline,
  lengthOf,
} from './furniture.ts';
import { removeCards } from './cards.ts';
import { removeTail } from './tail.ts';
import { lengthsBelow, smallestWith } from './text-lengths.ts';
import { hasTitle, isFurnitureBeside, MAIN, titledArticle } from './titled-article.ts';

/** Attribute with an element's place in its document. Readability keeps the attributes of what it keeps. */
const MARK = 'data-capture-n';
const HEADINGS = 'h1, h2, h3, h4, h5, h6';
/** Share of the kept text that the smallest element with the content has. */
const CORE_SHARE = 0.85;
/** Share of the kept text that furniture by name has at most: more is the content itself. */
const MOST_FURNITURE = 0.3;

/** Elements with the content of the page, by their meaning. */
const CONTAINERS = `${MAIN}, article, [itemprop="articleBody"]`;
/** Readability has found a part of the content only if it has less than this share of it. */
const MOST_PART = 0.35;

/** Parts of lists and tables, which mean something together. */
const ITEMS = 'li, td, th, dd, dt';
/** Characters of a cell of data. */
const MOST_CELL = 400;
/** Maximum length of a heading that stands above teasers. */
const MOST_HEADING = 40;

/** Share of the text of its region that the content loses at most without a warning. */
const MOST_LOST = 0.25;

interface Page {
  readonly title: string;
  /** True if the page says that it shows a product. */
  readonly isProduct: boolean;
}

export interface KeptRange {
  readonly content: Element;
  /** True if the content has lost more than a quarter of the text of its region. */
  readonly isReduced: boolean;
}

/** Numbers all elements. */
export function markElements(root: Element): void {
  let number = 0;
  for (const element of root.querySelectorAll('*')) element.setAttribute(MARK, `${number++}`);
}

/** Marks the texts of boxes. Readability replaces a box that has only a text by a paragraph without attributes. */
export function markTexts(root: Element): void {
  for (const box of root.querySelectorAll('div')) {
    const text = [...box.childNodes].find(
      (node) => node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== '',
    );
    if (text === undefined) continue;
    const mark = root.ownerDocument.createElement('span');
    mark.setAttribute(MARK, box.getAttribute(MARK) ?? '');
    text.replaceWith(mark);
    mark.append(text);
  }
}

/**
 * Returns the part of a copy that has all of what was kept of its marked twin, without the furniture in it. Readability
 * drops parts between others that it keeps: headings in boxes, paragraphs that are links. They stay here. Of a product,
 * and of a page of which it has found a small part only, all but the furniture stays.
 */
export function keptRange(whole: Element, kept: Element, { title, isProduct }: Page): KeptRange {
  const inKept = keptElements(whole, kept);
  const leaves = [...inKept].filter((each) => hasOwnText(each));
  const [first, last] = [leaves[0], leaves.at(-1)];
  if (first === undefined || last === undefined) return { content: kept, isReduced: false };
  const keptLength = lengthsBelow(leaves);
  const found = smallestWith(whole, keptLength, 1);
  const container = found.closest(CONTAINERS) ?? (isProduct ? aroundTitle(found) : null);
  const isPart =
    container !== null && (isProduct || lengthWithoutFurniture(container) * MOST_PART > (keptLength.get(found) ?? 0));
  const titled = titledArticle(whole, title);
  const isBeside =
    titled !== undefined &&
    !titled.contains(found) &&
    !found.contains(titled) &&
    (isFurnitureBeside(found, titled) || hasTitle(titled, title));
  const region = isBeside ? titled : isPart ? container : found;
  const core = isBeside ? titled : isPart ? container : smallestWith(region, keptLength, CORE_SHARE);
  const isTitled = titled?.contains(region) === true;
  const total = keptLength.get(region) ?? 0;
  const before = lengthWithoutFurniture(container ?? region);

  const texts = leaves.filter((each) => hasSentence(each) && each.closest(HEADINGS) === null);
  const [second, end] = [texts[1], texts.at(-1)];
  const isBesideText = (line: Element): boolean => {
    if (second === undefined || end === undefined || line.contains(second)) return false;
    if (line.previousElementSibling?.matches('h2, h3, h4, h5, h6') === true) return false;
    return isBefore(line, second) || (isBefore(end, line) && startsLikeByline(line));
  };

  let hasLostSentences = isBeside;
  const prune = (element: Element): void => {
    const children = [...element.children]; // some are removed
    for (const child of children) {
      if (
        titled !== undefined &&
        !child.contains(titled) &&
        !titled.contains(child) &&
        isFurnitureBeside(child, titled)
      ) {
        hasLostSentences = true;
        child.remove();
        continue;
      }
      const own = keptLength.get(child) ?? 0;
      if (isByline(child) && isBesideText(child)) child.remove();
      else if (own > 0) {
        if (own < total * MOST_FURNITURE && isKeptFurniture(child)) removeWithHeading(child);
        else if (!hasOwnText(child) && !isCell(child)) prune(child);
      } else if (child.matches('br, hr'))
        continue; // Readability replaces rows of them
      else if (inKept.has(child) && !isNamedFurniture(child)) continue;
      else if (isRestored(child)) removeFurniture(child);
      else removeWithHeading(child);
    }
  };
  const isRestored = (child: Element): boolean => {
    if (!core.contains(child) || isFurniture(child)) return false;
    if (isPart || isBetween(child, first, last) || (isTitled && !leadsOn(child))) return true;
    const leadsIn = keptLength.has(child.nextElementSibling ?? child) && child.querySelector(HEADINGS) !== null;
    return (
      leadsIn || child.querySelector('pre, table') !== null || (endsLikeSentence(child) && child.matches('p, div'))
    );
  };
  prune(region);
  if (removeCards(region)) hasLostSentences = true;
  removeTail(region);
  return { content: region, isReduced: hasLostSentences || lengthOf(region) < before * (1 - MOST_LOST) };
}

/** Returns the elements of `whole` whose twins were kept, in the order of the document. */
function keptElements(whole: Element, kept: Element): Set<Element> {
  const marks = new Set([kept, ...kept.querySelectorAll(`[${MARK}]`)].map((each) => each.getAttribute(MARK)));
  const elements = [...whole.querySelectorAll('*')];
  return new Set(elements.filter((_, place) => marks.has(`${place}`)));
}

/** Stricter than for what Readability has dropped: it has a reason to keep what it keeps. */
function isKeptFurniture(element: Element): boolean {
  if (element.matches(HEADINGS) || element.querySelector(HEADINGS) !== null) return isNamedFurniture(element);
  if (element.closest(ITEMS) !== null) return false;
  const before = element.previousElementSibling;
  const isLed = before !== null && isFurnitureLine(before);
  if (isTeaser(element) && (isLed || element.matches('p, div'))) return true;
  return (isNamedFurniture(element) && element.querySelector('blockquote, pre') === null) || isFurnitureLine(element);
}

/** Removes furniture, with the heading that stands for it alone. */
function removeWithHeading(element: Element): void {
  const before = element.previousElementSibling;
  const after = element.nextElementSibling;
  if (before?.matches('h2, h3, h4, h5, h6') === true && (after === null || after.matches(HEADINGS)) && isShort(before))
    before.remove();
  element.remove();
}

function isShort(heading: Element): boolean {
  return lengthOf(heading) < MOST_HEADING;
}

/** Length of the text outside of navigation, teasers and the like. */
function lengthWithoutFurniture(element: Element): number {
  let length = 0;
  for (const node of element.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) length += (node.nodeValue ?? '').trim().length;
    else if (node instanceof Element && !isFurniture(node)) length += lengthWithoutFurniture(node);
  }
  return length;
}

function removeFurniture(element: Element): void {
  const isOther = hasFurnitureName(element) ? isFurniture : isNamedFurniture;
  for (const inner of element.querySelectorAll('*')) if (isOther(inner) && !isInLine(inner)) inner.remove();
}

/** True for a part with buttons, or links to other pages: it may be no part of the text that ends before it. */
function leadsOn(part: Element): boolean {
  const links = [...part.querySelectorAll('a[href], button')];
  return links.some((each) => each.matches('button') || !isReference(each));
}

/** True for a cell of data. Others lay the page out. */
function isCell(element: Element): boolean {
  return element.matches('td, th') && lengthOf(element) < MOST_CELL;
}

/** True for a part of a line or cell, and for an item that is a line: `Tea 2.50`. */
function isInLine(element: Element): boolean {
  const { parentElement } = element;
  if (element.closest('td, th') !== null || (element.matches(ITEMS) && hasOwnText(element))) return true;
  return parentElement !== null && hasOwnText(parentElement);
}

/** Returns the smallest element around this one that has the title of the page. */
function aroundTitle(element: Element): Element | null {
  let outer: Element | null = element;
  while (outer !== null && outer.querySelector('h1') === null) outer = outer.parentElement;
  return outer;
}

function isBetween(element: Element, first: Element, last: Element): boolean {
  return isBefore(first, element) && isBefore(element, last);
}

function isBefore(element: Element, other: Element): boolean {
  return (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
