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
 * Moves the page to the right and down, because Chrome draws nothing that lies left of it or above it (Chromium 153).
 * In CSS pixels. Runs in the page.
 */
export function movePage({ x, y }: { readonly x: number; readonly y: number }): void {
  const root = rootElement();
  if (root === null) return;
  const { position, left, top } = computed(root);
  const isStatic = position === 'static';
  const before = (length: string): number => (isStatic ? 0 : Number.parseFloat(length) || 0);
  styleForPicture(root, {
    ...(isStatic && { position: 'relative' }),
    ...(x > 0 && { left: `${before(left) + x}px`, right: 'auto' }),
    ...(y > 0 && { top: `${before(top) + y}px`, bottom: 'auto' }),
  });
}
