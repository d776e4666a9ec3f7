import {
  all,
  attribute,
  computed,
  isNamed,
  nameOf,
  parentElementOf,
  read,
  setAttribute,
} from '../../../in-page/nodes.ts';
import { setForPicture } from '../../../in-page/for-picture.ts';

/**
 * Loads lazy pictures and frames at once, because some never come into view by scrolling. If only `loading` changes,
 * Chrome loads a picture and still counts it as deferred: the print then waits 2 s for it (headless shell 153,
 * 2026-11-27). So the picture has no source while `loading` changes. Runs in the page.
 */
export function loadLazy(lazy: Iterable<Element>): void {
  // Reads all widths before the first change: each read after a change would lay out the page again.
  const found = [...lazy].map((element) => {
    const sourced = sourcesOf(element);
    return { element, sourced, width: sourced.some(hasAutoSize) ? computed(element).width : '' };
  });
  for (const { element, sourced, width } of found) {
    if (width.endsWith('px')) for (const each of sourced.filter(hasAutoSize)) setForPicture(each, 'sizes', width);
    const restores = sourced.flatMap((each) => ['src', 'srcset'].map((name) => withoutAttribute(each, name)));
    setForPicture(element, 'loading', 'eager');
    for (const restore of restores) restore();
  }
}

/** Returns the elements that give a picture its source. None for a frame, and for a picture that is loaded. */
function sourcesOf(element: Element): Element[] {
  if (!isNamed(element, 'img') || read(HTMLImageElement.prototype, element, 'complete')) return [];
  const outer = parentElementOf(element);
  return outer !== null && nameOf(outer) === 'picture' ? [element, ...all(outer, 'source')] : [element];
}

/** True for `sizes="auto"`, which only lazy pictures may have. It stands for their width. */
function hasAutoSize(element: Element): boolean {
  return /^\s*auto\b/i.test(attribute(element, 'sizes') ?? '');
}

/** Removes an attribute. The returned function sets it again. */
function withoutAttribute(element: Element, name: string): () => void {
  const value = attribute(element, name);
  if (value === null) return () => undefined;
  Element.prototype.removeAttribute.call(element, name);
  return () => setAttribute(element, name, value);
}
