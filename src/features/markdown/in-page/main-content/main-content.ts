import { lengthOf, oneLine } from './furniture.ts';
import { rename } from '../conversion/tidy-tables.ts';
import { keptRange, markElements, markTexts } from './kept-range.ts';

/** The used part of `@mozilla/readability`. */
export type ReadabilityClass = new (
  copy: Document,
  options: { readonly keepClasses: boolean; readonly serializer: (content: Element) => unknown },
) => { readonly parse: () => { readonly title: string | null; readonly content: unknown } | null };

/** Characters of a heading that is the title, with the name of the site behind it. */
const LEAST_TITLE = 5;
/** How a page says that it shows a product. */
const PRODUCT = /"@type"\s*:\s*"Product"/;
const PRODUCT_MARKS = 'meta[property="og:type"][content*="product" i]';

export interface MainContent {
  readonly title: string;
  readonly content: Element;
  /** True if the content has lost more than a quarter of the text of its region. */
  readonly isReduced: boolean;
}

/**
 * Returns the part of `whole`, the same body once more, that is the main content, as a reader view shows it. Consumes
 * both. Undefined if there is none, or if it is a few words, too small a part of the page, or mostly navigation: then
 * `whole` is as before. Runs in the page.
 */
export function mainContent(copy: Document, whole: Element, Readability: ReadabilityClass): MainContent | undefined {
  const fewWords = 80; // characters; shorter texts are no content, such as "Loading" or "Please sign in"
  const minLength = 250; // characters; longer texts may be an article
  const minShare = 0.25; // share of the whole text
  const maxLinks = 0.6; // share of links; texts with more are navigation
  const { body } = copy;
  const total = lengthOf(body);
  const isProduct = PRODUCT.test(copy.head.textContent) || copy.querySelector(PRODUCT_MARKS) !== null;
  markElements(body);
  markTexts(body);

  // Readability restarts by parsing markup, which pages with trusted types forbid, also in copies.
  let kept: Node = body;
  Object.defineProperty(body, 'innerHTML', {
    get: () => {
      kept = body.cloneNode(true);
      return '';
    },
    set: () => {
      const again = kept.cloneNode(true);
      body.replaceChildren();
      while (again.firstChild !== null) body.append(again.firstChild);
    },
  });
  const found = new Readability(copy, { keepClasses: true, serializer: (content) => content }).parse();
  if (!(found?.content instanceof Element)) return undefined;
  const length = lengthOf(found.content);
  if (length < fewWords || (length < minLength && length < total * minShare)) return undefined;
  const links = [...found.content.querySelectorAll('a')].reduce((sum, link) => sum + lengthOf(link), 0);
  if (links > length * maxLinks) return undefined;
  const title = oneLine(found.title ?? '');
  const range = keptRange(whole, found.content, { title, isProduct });
  lowerTitles(range.content, title);
  return { title, ...range };
}

/** The title of the page is the first heading, so that its own one would be a second. Others become chapters. */
function lowerTitles(content: Element, title: string): void {
  for (const heading of content.querySelectorAll('h1')) {
    const text = oneLine(heading.textContent);
    const isTitle = text !== '' && (text === title || (text.length >= LEAST_TITLE && title.includes(text)));
    if (isTitle) heading.remove();
    else rename(heading, 'h2');
  }
}
