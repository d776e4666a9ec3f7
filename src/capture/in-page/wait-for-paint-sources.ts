interface Pending {
  readonly fonts: boolean;
  readonly images: boolean;
}

/**
 * Waits for the web fonts in use and for the pictures inside the area (CSS pixels of the page; the viewport when
 * undefined) to be loaded and decoded, at most `limitMs`. Gives back what was not ready. Runs in the page.
 */
export async function waitForPaintSources(limitMs: number, wholePage: boolean): Promise<Pending> {
  const isNear = (element: Element): boolean => {
    if (wholePage) return true;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  };
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
  const timeUp = new Promise((resolve) => {
    // Not setTimeout: it never fires where the page's scripts are switched off.
    AbortSignal.timeout(limitMs).addEventListener('abort', resolve);
  });
  await Promise.race([Promise.all([fontsReady, imagesReady]), timeUp]);
  return pending;
}
