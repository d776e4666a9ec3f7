import { make } from '../dom.ts';

/** Size of the canvas, twice the displayed size. */
const [WIDTH, HEIGHT] = [256, 160];
/** Maximum pixels of a picture, which is decoded as a whole with four bytes each. */
export const MAX_PIXELS = 20_000_000;
const AT_ONCE = 2;
/** Loads pictures this far ahead of the scroll position. */
const AHEAD = '400px';

export interface Thumbnails {
  /** Returns an empty canvas, on which the picture of this job is drawn when it becomes visible. */
  readonly of: (id: string) => HTMLCanvasElement;
}

/**
 * Thumbnails of jobs, loaded when they become visible, two at a time. `fetchPicture` returns undefined if there is
 * none.
 */
export function createThumbnails(fetchPicture: (id: string) => Promise<Blob | undefined>): Thumbnails {
  const waiting: { readonly id: string; readonly canvas: HTMLCanvasElement }[] = [];
  const ids = new WeakMap<Element, string>();
  let running = 0;

  const next = async (): Promise<void> => {
    if (running >= AT_ONCE) return;
    const job = waiting.shift();
    if (job === undefined) return;
    running += 1;
    try {
      const picture = await fetchPicture(job.id);
      if (picture !== undefined) await draw(picture, job.canvas);
    } finally {
      running -= 1;
      void next();
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target: canvas, isIntersecting } of entries) {
        const id = ids.get(canvas);
        if (!isIntersecting || id === undefined || !(canvas instanceof HTMLCanvasElement)) continue;
        observer.unobserve(canvas);
        waiting.push({ id, canvas });
        void next();
      }
    },
    { rootMargin: AHEAD },
  );
  return {
    of: (id) => {
      const canvas = make('canvas', { width: WIDTH, height: HEIGHT });
      ids.set(canvas, id);
      observer.observe(canvas);
      return canvas;
    },
  };
}

/** Draws the top of the picture, because users recognize a long page by its top. */
async function draw(picture: Blob, canvas: HTMLCanvasElement): Promise<void> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(picture);
  } catch {
    return; // unknown format in this browser: the canvas stays empty
  }
  const scale = Math.min(1, WIDTH / bitmap.width);
  const [width, height] = [bitmap.width * scale, bitmap.height * scale];
  const context = canvas.getContext('2d');
  if (context !== null) {
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, (WIDTH - width) / 2, Math.max(0, (HEIGHT - height) / 2), width, height);
    canvas.dataset['drawn'] = 'true';
  }
  bitmap.close();
}
