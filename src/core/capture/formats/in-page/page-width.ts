import { isOfWindow } from '../../../steps/in-page/clippers.ts';
import { styleForPicture } from '../../../steps/in-page/for-picture.ts';
import { bodyOf, computed, rootElement } from '../../../steps/in-page/nodes.ts';

/** True if the window hides what the page has beside it. Runs in the page. */
export function hidesOverflow(): boolean {
  return [rootElement(), bodyOf(document)].some(
    (element) => element !== null && isOfWindow(element) && /hidden|clip/.test(computed(element).overflowX),
  );
}

/**
 * Moves the page to the right, because Chrome draws nothing that lies left of it (Chromium 153). Runs in the page.
 *
 * @param by CSS pixels
 */
export function movePage(by: number): void {
  const root = rootElement();
  if (root === null) return;
  const { position, left } = computed(root);
  const isStatic = position === 'static';
  const before = isStatic ? 0 : Number.parseFloat(left) || 0;
  styleForPicture(root, { ...(isStatic && { position: 'relative' }), left: `${before + by}px`, right: 'auto' });
}
