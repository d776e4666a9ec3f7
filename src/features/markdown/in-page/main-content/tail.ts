import { endsLikeSentence, isReference, isTeaser, lengthOf, oneLine } from './furniture.ts';

// What follows the last sentence of an article: teasers, share links, dates. Recognised by form, in any language.

/** What an article may end with. */
const CONTENT = 'pre, table, img, picture, figure, blockquote, dl, math, .capture-formula-block';
/** Share of the text that a tail has at most. */
const MOST_TAIL = 0.5;
/** Characters of a line of a tail. */
const MOST_LINE = 120;
/** A label with links behind it: `See also: …`. */
const LABELLED = /^[^:：]{3,40}[:：]/;
/** Characters of a title behind a label, on average. Shorter links are those of a sentence: `Docs: the manual`. */
const LEAST_TITLE = 20;
const FULL_STOP = /[.。।。]["'”’»)\]]*$/u;
/** A date with its year or the time of day, in the digits of most languages. */
const DATE = /(?:^|[^\d])(?:19|20)\d{2}(?:$|[^\d])|\d{1,2}[:.h]\d{2}/;
const MOST_BYLINE = 100;

/** Removes the lines before the text that tell author and date, and what leads to other pages behind it. */
export function removeTail(region: Element): void {
  const core = coreOf(region);
  const parts = [...core.children];
  const last = parts.findLastIndex(isText);
  if (last === -1) return;
  const leads = parts.findIndex((each, at) => at > last && leadsAway(each));
  if (leads === -1) return;
  const hasHeading = parts[leads - 1]?.matches('h2, h3, h4, h5, h6') === true && leads - 1 > last;
  const tail = parts.slice(hasHeading ? leads - 1 : leads);
  const length = tail.reduce((sum, each) => sum + lengthOf(each), 0);
  if (length < lengthOf(core) * MOST_TAIL && tail.every(isTailPart)) for (const each of tail) each.remove();
  else return;
  const first = parts.findIndex(isText);
  for (const each of parts.slice(0, first)) if (isByline(each)) each.remove();
}

/** Returns the box whose children are the paragraphs of the text. */
function coreOf(region: Element): Element {
  let core = region;
  for (;;) {
    const [first, ...others] = [...core.children].filter((child) => lengthOf(child) > 0);
    if (first === undefined || others.length > 0 || /^(?:p|ul|ol|h[1-6])$/.test(first.localName)) return core;
    core = first;
  }
}

function isText(element: Element): boolean {
  if (element.matches(CONTENT) || element.querySelector(CONTENT) !== null) return true;
  return [element, ...element.querySelectorAll('p, li, div')].some(
    (each) =>
      endsLikeSentence(each) && each.querySelector('p, li, div') === null && FULL_STOP.test(oneLine(each.textContent)),
  );
}

/** True for titles of other pages of the site, and for a label with such titles. */
function leadsAway(element: Element): boolean {
  const links = [...element.querySelectorAll('a[href]')];
  if (links.length === 0 || links.some(isReference)) return false;
  if (isTeaser(element)) return true;
  const length = links.reduce((sum, link) => sum + lengthOf(link), 0);
  const isTitles = length > lengthOf(element) / 2 && length >= links.length * LEAST_TITLE;
  return isTitles && LABELLED.test(oneLine(element.textContent));
}

function isTailPart(element: Element): boolean {
  return (
    leadsAway(element) ||
    element.matches('hr, br') ||
    (lengthOf(element) < MOST_LINE && !FULL_STOP.test(oneLine(element.textContent)))
  );
}

function isByline(element: Element): boolean {
  const text = oneLine(element.textContent);
  return element.matches('p, div, span, time') && text.length < MOST_BYLINE && DATE.test(text) && !FULL_STOP.test(text);
}
