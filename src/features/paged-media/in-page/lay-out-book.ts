import { keepContents } from './keep-contents.ts';
import { countPages } from './count-pages.ts';
import { type BreakToken, exactBreak } from './exact-break.ts';
import { bookRules, type Papers, type Sheet } from './book-rules.ts';
import { moveInlineRules } from './inline-rules.ts';
import { drawLeaders } from './draw-leaders.ts';
import { joinBreaks, joinItems, markItems } from './join-breaks.ts';
import { numberItems } from './number-items.ts';
import { removeMarks, renameIds, wrapBody } from './wrap-body.ts';
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
  readonly chunker: { readonly source: ParentNode & Node };
}

/** How a book was laid out. */
export interface LaidOutBook {
  readonly pages: number;
  /** Names of rules that are left out. */
  readonly ignored: readonly string[];
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
  written: readonly Sheet[],
  papers: Papers,
  maxPages: number,
): Promise<LaidOutBook> {
  const { Previewer: Books, Handler }: Library = Object(library);
  const { body } = document;
  const inline = moveInlineRules(body);
  const { sheets, leaders, ignored } = bookRules([...written, ['about:inline', inline.text]], papers);
  const isKept = keepContents(body);
  numberItems(body);
  renameIds(body);
  removeMarks(body);
  openBoxes(body);
  markItems(body);
  drawLeaders(body, leaders);
  for (const sheet of Array.from(document.querySelectorAll('link[rel~="stylesheet"], style'))) sheet.remove();
  if (!allowsStyles()) throw new Error('the Content-Security-Policy of the page forbids style sheets');
  const content = wrapBody(body);
  const heads = repeatHeads(content);
  const book = new Books();
  let pages = 0;
  let start: BreakToken | undefined; // where the present page begins
  class Watch extends Handler {
    afterParsed(parsed: ParentNode): void {
      joinItems(parsed);
      joinBreaks(parsed);
    }

    onPageLayout(_page: Element, token: BreakToken | undefined): void {
      start = token;
    }

    onBreakToken(token: (BreakToken & { constructor: unknown }) | undefined, overflow: Range | undefined): unknown {
      const exact = token && overflow && exactBreak(overflow, start, book.chunker.source);
      if (exact === undefined || (exact.node === token?.node && exact.offset === token.offset)) return undefined;
      return Reflect.construct(Object(token).constructor, [exact.node, exact.offset]);
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
  const isCut = !isKept || Array.from(document.querySelectorAll('.pagedjs_page_content')).some(isBeyondEdge);
  return {
    ignored: inline.isWhole ? ignored : [...ignored, 'style'],
    pages,
    lostCharacters: Math.max(0, expected - shown),
    isCut,
  };
}

function allowsStyles(): boolean {
  const style = document.createElement('style');
  style.textContent = 'x { color: red }';
  document.head.append(style);
  const isAllowed = style.sheet !== null && style.sheet.cssRules.length > 0;
  style.remove();
  return isAllowed;
}

/** Number of pages so far. Runs in the page. */
export function pagesSoFar(): number {
  return Number(Reflect.get(globalThis, 'bookPages') ?? 0);
}

/** More than the descent of a line. */
const BEYOND = 4;
/** Content may begin in the margin on purpose. */
const BEFORE = 200;
const LEAST_ROOM = 10;

/** Lines, and elements that show something without text. */
const SHOWN = 'img, svg, video, object, embed, input, textarea, select, math, :empty';

/**
 * True if something lies beyond the edges of the room for content. What does not fit on a page stands in a column
 * beside it.
 * @throws Error if there is no room
 */
function isBeyondEdge(area: Element): boolean {
  const room = area.getBoundingClientRect();
  if (charactersOf(area) > 0 && (room.width < LEAST_ROOM || room.height < LEAST_ROOM))
    throw new Error('the margins of @page leave no room for the content');
  const isOutside = ({ left, right, top, bottom, width, height }: DOMRect): boolean =>
    width > 0 &&
    height > 0 &&
    (right > room.right + BEYOND ||
      bottom > room.bottom + BEYOND ||
      left < room.left - BEFORE ||
      top < room.top - BEFORE);
  if (Array.from(area.querySelectorAll(SHOWN)).some((element) => isOutside(element.getBoundingClientRect())))
    return true;
  const range = document.createRange();
  const texts = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if ((node.nodeValue ?? '').trim() === '' || node.parentElement?.closest('[data-book-dots]')) continue;
    range.selectNodeContents(node);
    if (isOutside(range.getBoundingClientRect())) return true;
  }
  return false;
}

function charactersOf(node: Node): number {
  return (node.textContent ?? '').replaceAll(/\s/g, '').length;
}
