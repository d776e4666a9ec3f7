import { computed, documentOf, isDocument, nameOf } from '../../../../core/steps/in-page/nodes.ts';
import type { Colour, Colours } from './colours.ts';
import type { Cover } from './covers.ts';
import type { Box } from './element-visibility.ts';

const PICTURE = /^(?:img|video|canvas|svg|picture|iframe|frame|object|embed|image|slot)$/;

/**
 * Returns the possible colours behind a line of text in the window, over which boxes lie as far as their places tell.
 * Undefined if the browser does not say that all of them are behind the text, or if a picture is among them. Runs in
 * the page.
 */
export function backdropBehind(
  element: Element,
  { left, right, top, bottom }: Box,
  { covers, colours }: { readonly covers: readonly Cover[]; readonly colours: Colours },
): readonly Colour[] | undefined {
  const root = Node.prototype.getRootNode.call(element);
  if (!isDocument(root) || root !== documentOf(element)) return undefined;
  const found: Colour[] = [];
  for (const share of [0.05, 0.5, 0.95]) {
    const x = left + (right - left) * share;
    const layers = Document.prototype.elementsFromPoint.call(root, x, (top + bottom) / 2);
    const index = layers.indexOf(element);
    const behind = layers.slice(index + 1);
    // Boxes that the hit test does not report may lie in front of the text.
    if (index !== 0 || covers.some((cover) => cover.isOverOwn || !behind.includes(cover.element))) return undefined;
    const painted = paintedBy(layers, colours);
    if (painted === undefined) return undefined;
    found.push(...painted);
  }
  return found;
}

function paintedBy(layers: readonly Element[], colours: Colours): readonly Colour[] | undefined {
  let below: readonly Colour[] | undefined = [[255, 255, 255, 1]];
  for (const layer of layers.toReversed()) {
    const style = computed(layer);
    if (PICTURE.test(nameOf(layer)) || Number(style.opacity) < 1) return undefined;
    below = colours.painted(style, below);
  }
  return below;
}
