/** The used part of `@mozilla/readability`. */
export type ReadabilityClass = new (
  copy: Document,
  options: { readonly keepClasses: boolean; readonly serializer: (content: Element) => unknown },
) => { readonly parse: () => { readonly title: string | null; readonly content: unknown } | null };

export interface MainContent {
  readonly title: string;
  readonly content: Element;
}

/**
 * Returns the main content of a copy, as a reader view shows it, and consumes the copy. Undefined if there is none, or
 * if it is a few words, too small a part of the page, or mostly navigation. Runs in the page.
 */
export function mainContent(copy: Document, Readability: ReadabilityClass): MainContent | undefined {
  const fewWords = 80; // characters; shorter texts are no content, such as "Loading" or "Please sign in"
  const minLength = 250; // characters; longer texts may be an article
  const minShare = 0.25; // share of the whole text
  const maxLinks = 0.6; // share of links; texts with more are navigation
  const { body } = copy;
  const total = textLength(body);

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
  const length = textLength(found.content);
  if (length < fewWords || (length < minLength && length < total * minShare)) return undefined;
  const links = [...found.content.querySelectorAll('a')].reduce((sum, link) => sum + textLength(link), 0);
  if (links > length * maxLinks) return undefined;
  return { title: (found.title ?? '').replaceAll(/\s+/g, ' ').trim(), content: found.content };
}

function textLength(element: Element): number {
  return element.textContent.replaceAll(/\s+/g, ' ').trim().length;
}
