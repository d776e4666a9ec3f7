import { all, attribute, boxOf, isRendered, read } from '../../../in-page/nodes.ts';

/** Attributes in which scripts keep the address of a picture until it comes into view. */
const KEPT_IN = ['data-src', 'data-original', 'data-lazy', 'data-lazy-src', 'data-bg', 'data-background-image'];
const SELECTOR = KEPT_IN.map((name) => `[${name}]`).join();
/** Attributes with which the script may request another address, or in another mode. */
const UNKNOWN = ['srcset', 'data-srcset', 'data-lazy-srcset', 'data-sizes', 'crossorigin'];
const PICTURE = /\.(?:avif|gif|jpe?g|png|svg|webp)$/i;
/** How far ahead, in screens: few enough pictures for the time limit of requests. */
const SCREENS = 4;
/** The next pictures are requested when one is as near as this, in screens. */
const NEAR = 1.5;
/** Limits for hostile pages, on each screen. */
const MOST = { elements: 5_000, pictures: 100, length: 2_000 };
const LOADED = 'captureLoadedAhead'; // property of the isolated world's window, invisible to the page

/**
 * Requests the pictures that a script will load on the next screens. The script then gets them from memory, so that
 * there is one wait for several screens. Runs in the page.
 */
export function loadAhead(): void {
  const known: unknown = Reflect.get(globalThis, LOADED);
  const loaded = known instanceof Map ? known : new Map<string, HTMLImageElement>(); // keeps them in memory
  Reflect.set(globalThis, LOADED, loaded);
  const next = new Set<string>();
  let isNear = false;
  for (const element of all(document, SELECTOR).slice(0, MOST.elements)) {
    const { top } = boxOf(element);
    if (top < 0 || top > SCREENS * innerHeight || !isRendered(element)) continue;
    if (UNKNOWN.some((name) => attribute(element, name) !== null)) continue;
    const kept = KEPT_IN.map((name) => attribute(element, name)).find((value) => value !== null) ?? '';
    if (kept.length > MOST.length) continue;
    const url = URL.parse(kept, read(Node.prototype, document, 'baseURI'));
    if (url === null || !/^https?:$/.test(url.protocol) || !PICTURE.test(url.pathname) || loaded.has(url.href))
      continue;
    if (next.size >= MOST.pictures) break;
    next.add(url.href);
    if (top < NEAR * innerHeight) isNear = true;
  }
  if (isNear) for (const src of next) loaded.set(src, Object.assign(new Image(), { src }));
}
