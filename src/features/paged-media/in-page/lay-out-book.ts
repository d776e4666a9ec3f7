import { countPages } from './count-pages.ts';
import { drawLeaders, type Leader } from './draw-leaders.ts';
import { joinBreaks, joinItems, markItems } from './join-breaks.ts';
import { numberItems } from './number-items.ts';
import { openBoxes } from './open-boxes.ts';
import { repeatHeads } from './repeat-heads.ts';

/** What paged.js gives: https://pagedjs.org. */
interface Library {
  readonly Previewer: new () => Previewer;
  readonly Handler: new (...args: unknown[]) => object;
}

interface Previewer {
  readonly registerHandlers: (...handlers: unknown[]) => void;
  readonly preview: (content: Node, sheets: readonly object[], to: Element) => Promise<unknown>;
  readonly chunker: { readonly source: Node; stop: () => void };
}

/** How a book was laid out. */
export interface LaidOutBook {
  readonly pages: number;
  /** Characters of the document that are on no page. */
  readonly lostCharacters: number;
  /** True if content lies beyond the edge of its page. */
  readonly isCut: boolean;
}

const PROGRESS = 'bookPages';

/**
 * Lays the document out on pages, which take the place of its body. `library` is paged.js, in the world of this
 * function. Runs in the page.
 * @throws Error if it has too many pages
 */
export async function layOutBook(
  library: unknown,
  sheets: readonly (readonly [url: string, text: string])[],
  leaders: readonly Leader[],
  maxPages: number,
): Promise<LaidOutBook> {
  const { Previewer: Books, Handler }: Library = Object(library);
  const { body } = document;
  numberItems(body);
  openBoxes(body);
  markItems(body);
  drawLeaders(body, leaders);
  for (const sheet of Array.from(document.querySelectorAll('link[rel~="stylesheet"], style'))) sheet.remove();
  const content = document.createDocumentFragment();
  content.append(...Array.from(body.childNodes));
  const heads = repeatHeads(content);
  const book = new Books();
  let pages = 0;
  class Watch extends Handler {
    afterParsed(parsed: ParentNode): void {
      joinItems(parsed);
      joinBreaks(parsed);
    }

    renderNode(node: Node): void {
      heads.renderNode(node);
    }

    afterPageLayout(): void {
      pages++;
      Reflect.set(globalThis, PROGRESS, pages);
      if (pages > maxPages) throw new Error(`it has more than ${maxPages} pages`);
    }
  }
  book.registerHandlers(Watch);
  await book.preview(
    content,
    sheets.map(([url, text]) => ({ [url]: text })),
    body,
  );
  countPages();
  const rendered = Array.from(document.querySelectorAll('.pagedjs_area'));
  const expected = charactersOf(book.chunker.source);
  const shown = rendered.reduce((sum, area) => sum + charactersOf(area), 0) - heads.addedCharacters();
  const isCut = Array.from(document.querySelectorAll('.pagedjs_page_content')).some(isBeyondEdge);
  return { pages, lostCharacters: Math.max(0, expected - shown), isCut };
}

/** Number of pages so far. Runs in the page. */
export function pagesSoFar(): number {
  return Number(Reflect.get(globalThis, 'bookPages') ?? 0);
}

/** More than the descent of a line. */
const BEYOND = 4;

/** What does not fit on a page stands in a column beside it. */
function isBeyondEdge(area: Element): boolean {
  const room = area.getBoundingClientRect();
  return Array.from(area.querySelectorAll(':scope > div *')).some((element) => {
    if (element.childElementCount > 0) return false; // its place is that of all of its parts
    const { right, bottom, width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && (right > room.right + BEYOND || bottom > room.bottom + BEYOND);
  });
}

function charactersOf(node: Node): number {
  return (node.textContent ?? '').replaceAll(/\s/g, '').length;
}
