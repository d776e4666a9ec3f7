export interface Pending {
  readonly fonts: boolean;
  readonly images: boolean;
}

export interface PaintBounds {
  /** True when a script has run in the page that is not in its document. */
  readonly isScripted: boolean;
  /** True when the page has had a frame and nothing has happened in it since. */
  readonly isAtRest: boolean;
  /** False: what is in view alone. */
  readonly wholePage: boolean;
  /** Milliseconds, for fonts and pictures and for the first frame. */
  readonly limitMs: number;
  readonly frameLimitMs: number;
}

export type PaintTools = readonly [canAct: () => boolean, firstSight: () => Promise<void>];

/**
 * Lets the page act on its first frame, which a page that loads fast has not had yet: observers, and pictures that are loaded once
 * they are near. Then waits for the web fonts in use and for the pictures, at most `limitMs`. Gives back what was not ready. Runs
 * in the page.
 */
export async function waitForPaintSources(
  { isScripted, isAtRest, wholePage, limitMs, frameLimitMs }: PaintBounds,
  ...[canAct, firstSight]: PaintTools
): Promise<Pending> {
  // Not setTimeout: it never fires where the page's scripts are switched off.
  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      AbortSignal.timeout(ms).addEventListener('abort', () => resolve());
    });
  const seen = async (): Promise<void> => {
    if (!isAtRest) {
      await firstSight();
      await after(0); // for what observers put off to the next turn
    }
    document.querySelector(':root')?.getBoundingClientRect(); // backgrounds are asked for with the next layout
  };
  if (isScripted || document.querySelector('[loading="lazy" i]') !== null || canAct())
    await Promise.race([seen(), after(frameLimitMs)]);

  const isNear = (element: Element): boolean => {
    if (wholePage) return true;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  };
  // One that nothing has come of yet has no `currentSrc`: it may never be asked for, and if it is, the caller sees the request.
  const pictures = [...document.images].filter((image) => image.currentSrc !== '' && isNear(image));
  const unready = pictures.filter((image) => !image.complete);
  const fontsLoading = document.fonts.status === 'loading';
  const pending = { fonts: fontsLoading, images: unready.length > 0 };
  if (!pending.fonts && !pending.images) return pending;

  const ended = (image: HTMLImageElement): Promise<unknown> =>
    new Promise((resolve) => {
      image.addEventListener('load', resolve, { once: true });
      image.addEventListener('error', resolve, { once: true });
    });
  const fontsReady = document.fonts.ready.then(() => {
    pending.fonts = false;
  });
  const imagesReady = Promise.all(unready.map(ended)).then(() => {
    pending.images = false;
  });
  await Promise.race([Promise.all([fontsReady, imagesReady]), after(limitMs)]);
  return pending;
}
