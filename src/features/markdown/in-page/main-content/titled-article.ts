import { hasFurnitureName, hasOwnText, oneLine } from './furniture.ts';

// The part of a page that is the article by its meaning, however short it is.

export const MAIN = 'main, [role="main"]';
const HEADINGS = 'h1, h2, h3, h4, h5, h6';
/** Characters of a heading that is the title of the page. */
const LEAST_TITLE = 5;
/** Sentences of a short article that stands beside a longer text. */
const LEAST_SENTENCES = 2;
const SENTENCES = /\p{L}{2}[^.!?。！？।۔]*[.!?。！？।۔]/gu;

/** Returns the part with the content by its meaning, with a heading and text of its own, if there is one only. */
export function titledArticle(whole: Element, title: string): Element | undefined {
  for (const kind of ['article', MAIN]) {
    const parts = [...whole.querySelectorAll(kind)].filter(
      (each) => each.querySelector('h1') !== null || hasTitle(each, title),
    );
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && sentencesIn(only) >= LEAST_SENTENCES) return only;
  }
  return undefined;
}

/** True if a heading of the part is the title of the page, or its beginning. */
export function hasTitle(part: Element, title: string): boolean {
  return [...part.querySelectorAll('h1, h2')].some((heading) => {
    const text = oneLine(heading.textContent);
    return text.length >= LEAST_TITLE && title.startsWith(text);
  });
}

/** Counts the sentences outside of headings. Stops at `LEAST_SENTENCES`. */
function sentencesIn(part: Element): number {
  let count = 0;
  for (const each of part.querySelectorAll('*')) {
    if (!hasOwnText(each) || each.matches(HEADINGS)) continue;
    count += each.textContent.match(SENTENCES)?.length ?? 0;
    if (count >= LEAST_SENTENCES) break;
  }
  return count;
}

/** True for a part beside the article whose name says that it is no content: a letter to subscribe to, a consent. */
export function isFurnitureBeside(element: Element, titled: Element): boolean {
  for (let outer: Element | null = element; outer !== null && !outer.contains(titled); outer = outer.parentElement)
    if (hasFurnitureName(outer)) return true;
  return false;
}
