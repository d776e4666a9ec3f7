const MOST_TEXT = 2_000;

/** Limits for pages with many frames and canvases. */
const MOST_FRAMES = 20;
const MOST_CANVASES = 4;
/** Side of the picture by which a canvas is compared, in pixels. */
const SAMPLE = 64;

interface Counter {
  count: number;
  readonly observed: WeakSet<Document>;
  readonly drawn: WeakMap<HTMLCanvasElement, string>;
}

/**
 * Returns the number of changes of the page since the first call: of its elements, of those in frames of its origin,
 * and of what its canvases show. Runs in the page.
 */
export function countChanges(): number {
  const KEY = 'captureChanges'; // property of the isolated world's window, invisible to the page
  const counter: Counter = Reflect.get(globalThis, KEY) ?? { count: 0, observed: new WeakSet(), drawn: new WeakMap() };
  Reflect.set(globalThis, KEY, counter);
  for (const each of documents()) {
    if (!counter.observed.has(each)) {
      counter.observed.add(each);
      const observer = new MutationObserver((records) => {
        counter.count += records.length;
      });
      observer.observe(each, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    for (const canvas of canvasesOf(each)) {
      const drawing = sampleOf(canvas);
      if (counter.drawn.has(canvas) && counter.drawn.get(canvas) !== drawing) counter.count++;
      counter.drawn.set(canvas, drawing);
    }
  }
  return counter.count;
}

function documents(): Document[] {
  const frames: NodeListOf<Element> = Document.prototype.querySelectorAll.call(document, 'iframe');
  const framed = [...frames]
    .slice(0, MOST_FRAMES)
    .map((frame): Document | null => Reflect.get(HTMLIFrameElement.prototype, 'contentDocument', frame));
  return [document, ...framed.filter((each) => each !== null)];
}

function canvasesOf(each: Document): HTMLCanvasElement[] {
  const all: NodeListOf<HTMLCanvasElement> = each.querySelectorAll('canvas');
  return [...all].slice(0, MOST_CANVASES);
}

/** Returns what a canvas shows, as text. Empty for one that can't be read. */
function sampleOf(canvas: HTMLCanvasElement): string {
  const context = new OffscreenCanvas(SAMPLE, SAMPLE).getContext('2d');
  try {
    context?.drawImage(canvas, 0, 0, SAMPLE, SAMPLE);
    return context?.getImageData(0, 0, SAMPLE, SAMPLE).data.join() ?? '';
  } catch {
    return ''; // it has no pixels, or some of another origin
  }
}

/** True if the page has fewer characters than this, and no picture. Runs in the page. */
export function isBeginning(leastText: number): boolean {
  const body: unknown = Reflect.get(Document.prototype, 'body', document);
  if (!(body instanceof HTMLElement)) return true;
  const text = Reflect.get(HTMLElement.prototype, 'innerText', body).slice(0, MOST_TEXT);
  const picture = Document.prototype.querySelector.call(document, 'img, picture, video, canvas, svg, iframe, object');
  return picture === null && text.replaceAll(/\s+/g, '').length < leastText;
}
