import type { AdoptStyleSheet } from '../../../../steps/in-page/adopt-style-sheet.ts';
import type { RootsOf } from '../../../../steps/in-page/roots-of.ts';
import type { Colour, Colours } from './colours.ts';
import type { Box, ElementVisibility } from './element-visibility.ts';

/** A text that needs a hit test. */
interface Suspect {
  readonly element: Element;
  /** A visible line of the text. */
  readonly box: Box;
  /** Colour of the letters. */
  readonly colour: Colour;
  /** True if the backgrounds of its ancestors have nearly its colour. */
  readonly isPale: boolean;
}

/** A box that may lie over a text. */
interface Cover {
  readonly element: Element;
  readonly box: Box;
  /** True for a pseudo-element, which may lie over the content of its own element. */
  readonly isPseudo: boolean;
}

type Reason = 'covered' | 'clipped' | 'same_colour' | 'not_checked' | undefined;

export interface HitTests {
  /** True if something may lie over the box, so that the text needs a hit test. */
  readonly mayBeCovered: (element: Element, box: Box) => boolean;
  /** Returns why a text can't be seen. Undefined if it can. */
  readonly reasonOf: (suspect: Suspect) => Reason;
  /** Restores the styles of the page. */
  readonly end: () => void;
}

/** Type of `hitTests`. */
export type CreateHitTests = typeof hitTests;

/**
 * Creates the tests for texts that may lie behind something else: they ask the browser what it paints at a point.
 * Changes the styles of the page until `end`. Runs in the page.
 */
export function hitTests(
  { isSame, painted }: Colours,
  visibilityOf: (element: Element) => ElementVisibility,
  { rootsOf, adopt }: { readonly rootsOf: RootsOf; readonly adopt: AdoptStyleSheet },
): HitTests {
  const maxCovers = 20_000;
  const maxPictures = 200; // each may have to be decoded
  const limitMs = 2_000; // for all hit tests of a page. Later suspects are left out: many of them could be a trick
  let spentMs = 0;
  const all = '*{pointer-events:auto!important}';
  let isOpen = false;
  const get = <P extends object, K extends keyof P>(prototype: P, node: Node, name: K): P[K] =>
    Reflect.get(prototype, name, node);
  const contains = (outer: Element, inner: Element): boolean => Node.prototype.contains.call(outer, inner);
  const rectOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element);

  const isPicture = (element: Element): boolean =>
    /^(?:img|video|canvas|svg|picture|iframe|frame|object|embed|image)$/i.test(
      get(Element.prototype, element, 'localName'),
    );
  let examined = 0;
  /** Looks at a few pixels of a picture. Those of another origin can't be read. */
  const isOpaquePicture = (picture: HTMLImageElement | HTMLCanvasElement): boolean => {
    const side = 4;
    const canvas = examined++ < maxPictures ? new OffscreenCanvas(side, side).getContext('2d') : null;
    try {
      canvas?.drawImage(picture, 0, 0, side, side);
      const data = canvas?.getImageData(0, 0, side, side).data;
      return data?.every((value, index) => index % 4 !== 3 || value >= 230) === true;
    } catch {
      return /^[^?#]+\.jpe?g(?:[?#]|$)/i.test(Element.prototype.getAttribute.call(picture, 'src') ?? '');
    }
  };
  const isDrawn = (element: Element): element is HTMLImageElement | HTMLCanvasElement =>
    /^(?:img|canvas)$/.test(get(Element.prototype, element, 'localName'));
  const isOpaque = (element: Element): boolean => {
    const { opacity, style } = visibilityOf(element);
    if (opacity < 0.9 || style.visibility !== 'visible') return false;
    const layer = painted(style, [[0, 0, 0, 0]]);
    if (layer?.every(([, , , shade]) => shade >= 0.9) === true) return true;
    const [, blurred = '0'] = /blur\(([\d.]+)px\)/.exec(style.backdropFilter) ?? [];
    if (Number(blurred) >= 8) return true;
    const name = get(Element.prototype, element, 'localName');
    if (/^(?:video|iframe|frame)$/.test(name)) return true;
    return isDrawn(element) && isOpaquePicture(element);
  };

  /** True if a positioned pseudo-element of this size, in front of the text of the element, is opaque. */
  const hasPseudoCover = (element: Element, wide: number, high: number): boolean =>
    ['::before', '::after'].some((part) => {
      const style = getComputedStyle(element, part);
      if (style.content === 'none' || !/absolute|fixed/.test(style.position)) return false;
      const isLarge = Number.parseFloat(style.width) >= wide && Number.parseFloat(style.height) >= high;
      if (!isLarge || Number(style.zIndex) < 0 || Number(style.opacity) < 0.9) return false;
      return painted(style, [[0, 0, 0, 0]])?.every(([, , , shade]) => shade >= 0.9) === true;
    });

  /** Opaque boxes outside the normal flow, which may cover content that is not inside them. */
  const findCovers = (): Cover[] => {
    const found: Cover[] = [];
    for (const root of rootsOf(document))
      for (const element of root.querySelectorAll('*')) {
        if (found.length >= maxCovers) return found;
        if (hasPseudoCover(element, 4, 4)) found.push({ element, box: rectOf(element), isPseudo: true });
        const { position, transform, marginTop, marginLeft, zIndex, translate } = getComputedStyle(element);
        const isInFlow =
          position === 'static' &&
          transform === 'none' &&
          translate === 'none' &&
          zIndex === 'auto' &&
          !marginTop.startsWith('-') &&
          !marginLeft.startsWith('-');
        if (isInFlow || !isOpaque(element)) continue;
        const box = rectOf(element);
        if (box.width * box.height >= 16) found.push({ element, box, isPseudo: false });
      }
    return found;
  };
  let covers: readonly Cover[] | undefined;

  /**
   * Runs a test with the box in the middle of the window, as far as the page can be scrolled, where no header lies over
   * it.
   */
  const inView = <T>(element: Element, { top, bottom }: Box, test: (y: number) => T): T => {
    const view = element.ownerDocument.defaultView ?? window;
    const { innerHeight, scrollX, scrollY } = view;
    const middle = (top + bottom) / 2;
    if (middle > innerHeight * 0.2 && middle < innerHeight * 0.8) return test(middle);
    view.scrollTo({ top: scrollY + middle - innerHeight / 2, behavior: 'instant' });
    const tested = test(middle + scrollY - view.scrollY);
    view.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    return tested;
  };

  /** Returns the colours that may be painted by these layers, the top first. Undefined if a picture is among them. */
  const backdropOf = (layers: readonly Element[], wide: number): readonly Colour[] | undefined => {
    const isOver = layers.findIndex((layer) => isPicture(layer) || isOpaque(layer));
    const seen = isOver === -1 ? layers : layers.slice(0, isOver + 1);
    if (seen.some(isPicture)) return undefined;
    return seen.toReversed().reduce<readonly Colour[] | undefined>(
      (below, layer) =>
        ['::before', '::after'].reduce(
          (under, part) => {
            const style = getComputedStyle(layer, part);
            const isThere =
              style.content !== 'none' && Number(style.opacity) >= 0.5 && Number.parseFloat(style.width) >= wide;
            return isThere ? painted(style, under) : under;
          },
          painted(visibilityOf(layer).style, below),
        ),
      [[255, 255, 255, 1]],
    );
  };

  /** All elements at a point, the top first, with those in open shadow trees before their hosts. */
  const layersIn = (root: Document | ShadowRoot, x: number, y: number): readonly Element[] =>
    root.elementsFromPoint(x, y).flatMap((element) => {
      if (Node.prototype.getRootNode.call(element) !== root) return [];
      const inner = get(Element.prototype, element, 'shadowRoot');
      return inner === null ? [element] : [...layersIn(inner, x, y), element];
    });

  const reasonOf: HitTests['reasonOf'] = ({ element, box, colour, isPale }) => {
    const usual = isPale ? 'same_colour' : undefined;
    const reasonAt = (x: number, y: number): Reason => {
      const layers = layersIn(element.ownerDocument, x, y);
      if (layers.length === 0) return usual; // out of the window
      const { shaped, boxed, blendMode } = visibilityOf(element);
      const index = layers.indexOf(boxed);
      if (index === -1) {
        const isCut = shaped !== undefined && !layers.some((layer) => contains(shaped, layer));
        return isCut ? 'clipped' : usual;
      }
      const [wide, high] = [(box.right - box.left) / 2, (box.bottom - box.top) / 2];
      const above = layers.slice(0, index);
      const isCovered =
        above.some((layer) => !contains(boxed, layer) && isOpaque(layer)) ||
        [...above, boxed].some((layer) => hasPseudoCover(layer, wide, high));
      if (isCovered) return 'covered';
      if (!isPale) return undefined;
      const backdrop = backdropOf(layers.slice(index), wide);
      return backdrop?.every((below) => isSame(colour, below, blendMode)) === true ? 'same_colour' : undefined;
    };
    const startedAt = performance.now();
    if (spentMs > limitMs) return 'not_checked';
    if (!isOpen) adopt(all, rootsOf);
    isOpen = true;
    const points = [0.02, 0.5, 0.98].map((share) => box.left + (box.right - box.left) * share);
    const found = inView(element, box, (y) => points.map((x) => reasonAt(x, y)));
    spentMs += performance.now() - startedAt;
    const reasons = found.filter((reason) => reason !== undefined);
    return reasons.length >= 2 ? reasons[0] : undefined;
  };

  return {
    mayBeCovered: (element, box) => {
      covers ??= findCovers();
      if (covers.length >= maxCovers) return true;
      return covers.some(
        ({ element: cover, isPseudo, box: { left, top, right, bottom } }) =>
          left < box.right &&
          right > box.left &&
          top < box.bottom &&
          bottom > box.top &&
          cover.ownerDocument === element.ownerDocument &&
          (isPseudo || (!contains(cover, element) && !contains(element, cover))),
      );
    },
    reasonOf,
    end: () => {
      if (!isOpen) return;
      for (const root of rootsOf(document))
        root.adoptedStyleSheets = root.adoptedStyleSheets.filter(
          (sheet) => Reflect.get(sheet, 'rulesOfClient') !== all,
        );
    },
  };
}
