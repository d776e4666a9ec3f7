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
  for (const element of lazy) {
    const isDeferred = isNamed(element, 'img') && !read(HTMLImageElement.prototype, element, 'complete');
    const outer = isDeferred ? parentElementOf(element) : null;
    const sources = outer !== null && nameOf(outer) === 'picture' ? all(outer, 'source') : [];
    const sourced = isDeferred ? [element, ...sources] : [];
    for (const each of sourced) keepSize(each, element);
    const restores = sourced.flatMap((each) => ['src', 'srcset'].map((name) => withoutAttribute(each, name)));
    setForPicture(element, 'loading', 'eager');
    for (const restore of restores) restore();
  }
}

/** Replaces `sizes="auto"`, which only lazy pictures may have, with the width that it stands for. */
function keepSize(sourced: Element, image: Element): void {
  const { width } = computed(image);
  const isAuto = /^\s*auto\b/i.test(attribute(sourced, 'sizes') ?? '');
  if (isAuto && width.endsWith('px')) setForPicture(sourced, 'sizes', width);
}

/** Removes an attribute. Returns a function that sets it again. */
function withoutAttribute(element: Element, name: string): () => void {
  const value = attribute(element, name);
  if (value === null) return () => undefined;
  Element.prototype.removeAttribute.call(element, name);
  return () => setAttribute(element, name, value);
}
