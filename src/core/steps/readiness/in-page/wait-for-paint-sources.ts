import { all, boxOf, first, read, rootElement } from '../../in-page/nodes.ts';
import { canAct } from './can-act.ts';
import { isInTarget } from './area/scroll-targets.ts';
import { waitForObservers } from './wait-for-observers.ts';

export interface Pending {
  readonly fonts: boolean;
  readonly images: boolean;
}

export interface PaintBounds {
  /** True if a script has run that is not in the document. */
  readonly isScripted: boolean;
  /** True if the page has had a frame and nothing has happened since. */
  readonly isAtRest: boolean;
  /** False if only the visible part is captured. */
  readonly wholePage: boolean;
  /** Time limit in milliseconds, for fonts and pictures, and for the first frame. */
  readonly limitMs: number;
  readonly frameLimitMs: number;
}

/**
 * Gives the page its first frame, which a fast page has not had yet, for observers and lazy pictures. Then waits for
 * web fonts in use and for pictures, at most `limitMs`. Returns what was not ready. Runs in the page.
 */
export async function waitForPaintSources({
  isScripted,
  isAtRest,
  wholePage,
  limitMs,
  frameLimitMs,
}: PaintBounds): Promise<Pending> {
  const firstFrame = async (): Promise<void> => {
    if (!isAtRest) {
      await waitForObservers();
      await after(0); // lets observers finish work that they defer to the next task
    }
    const root = rootElement();
    if (root !== null) boxOf(root); // background pictures are requested by the next layout
  };
  if (isScripted || first(document, '[loading="lazy" i]') !== null || canAct())
    await Promise.race([firstFrame(), after(frameLimitMs)]);

  const isNear = (element: Element): boolean => {
    if (wholePage || isInTarget(element)) return true;
    const { top, bottom, left, right } = boxOf(element);
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  };
  // A picture without `currentSrc` may never be requested, so it is skipped. If the browser does request it, the caller
  // sees the request.
  const pictures = all(document, 'img')
    .filter((image) => image instanceof HTMLImageElement)
    .filter((image) => image.currentSrc !== '' && isNear(image));
  const unready = pictures.filter((image) => !image.complete);
  const fonts = read(Document.prototype, document, 'fonts');
  const fontsLoading = fonts.status === 'loading';
  const pending = { fonts: fontsLoading, images: unready.length > 0 };
  if (!pending.fonts && !pending.images) return pending;
  const fontsReady = fonts.ready.then(() => (pending.fonts = false));
  const imagesReady = Promise.all(unready.map(ended)).then(() => (pending.images = false));
  await Promise.race([Promise.all([fontsReady, imagesReady]), after(limitMs)]);
  return pending;
}

/** Uses AbortSignal instead of setTimeout, which never fires if scripts are disabled. */
function after(ms: number): Promise<void> {
  return new Promise((resolve) => AbortSignal.timeout(ms).addEventListener('abort', () => resolve()));
}

function ended(image: HTMLImageElement): Promise<unknown> {
  return new Promise((resolve) => {
    image.addEventListener('load', resolve, { once: true });
    image.addEventListener('error', resolve, { once: true });
  });
}
