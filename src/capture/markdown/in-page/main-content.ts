/** The part of `@mozilla/readability` that is used. */
export type ReadabilityClass = new (
  copy: Document,
  options: { readonly keepClasses: boolean; readonly serializer: (content: Element) => unknown },
) => { readonly parse: () => { readonly title: string | null; readonly content: unknown } | null };

export interface MainContent {
  readonly title: string;
  readonly content: Element;
}

/** Gives the main content of a copy, as `mainContent`. */
export type FindMainContent = typeof mainContent;

/**
 * What a reader view would show of a copy, which it takes apart; undefined where there is no such thing. What is next to nothing of a page is not its content:
 * readers are told so, rather than given a line. Runs in the page.
 */
export function mainContent(copy: Document, Readability: ReadabilityClass): MainContent | undefined {
  const minLength = 250; // characters: anything longer may be an article
  const minShare = 0.25; // of all the text
  const { body } = copy;
  const textLength = (element: Element): number => element.textContent.replaceAll(/\s+/g, ' ').trim().length;
  const total = textLength(body);

  // It reads its document as markup and writes it back to begin again, which pages with trusted types forbid: copies do as well.
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
  if (length === 0 || (length < minLength && length < total * minShare)) return undefined;
  return { title: (found.title ?? '').replaceAll(/\s+/g, ' ').trim(), content: found.content };
}
