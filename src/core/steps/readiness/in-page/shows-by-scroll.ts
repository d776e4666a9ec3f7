import { everywhere } from '../../in-page/roots-of.ts';

/**
 * True if the page has elements that change when they come into view, without a script: lazy pictures, videos, child
 * documents, and animations that follow the scroll. Runs in the page.
 */
export function showsByScroll(): boolean {
  const [live] = everywhere('[loading="lazy" i], video, iframe, frame, object, embed');
  return live !== undefined || Document.prototype.getAnimations.call(document).length > 0;
}
