import { adoptStyleSheet } from '../../../../steps/in-page/adopt-style-sheet.ts';
import {
  attribute,
  boxOf,
  computed,
  documentOf,
  isDocument,
  nameOf,
  read,
  sheetsOf,
  viewOf,
} from '../../../../steps/in-page/nodes.ts';
import { everywhere, rootsOf } from '../../../../steps/in-page/roots-of.ts';
import type { Colour, Colours } from './colours.ts';
import type { Box, ElementVisibilities } from './element-visibility.ts';

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

const MAX_COVERS = 20_000;
const MAX_PICTURES = 200; // each may have to be decoded
const LIMIT_MS = 2_000; // for all hit tests of a page. Later suspects are left out: many of them could be a trick
const HITTABLE = '*{pointer-events:auto!important}';
const PSEUDOS = ['::before', '::after'];

/**
 * Tests for texts that may lie behind something else: they ask the browser what it paints at a point. Changes the
 * styles of the page until `end`. Runs in the page.
 */
export class HitTests {
  readonly #colours: Colours;
  readonly #elements: ElementVisibilities;
  #spentMs = 0;
  #isOpen = false;
  #examined = 0;
  #covers: readonly Cover[] | undefined;

  constructor(colours: Colours, elements: ElementVisibilities) {
    this.#colours = colours;
    this.#elements = elements;
  }

  /** True if something may lie over the box, so that the text needs a hit test. */
  mayBeCovered(element: Element, box: Box): boolean {
    this.#covers ??= this.#findCovers();
    if (this.#covers.length >= MAX_COVERS) return true;
    return this.#covers.some(
      ({ element: cover, isPseudo, box: { left, top, right, bottom } }) =>
        left < box.right &&
        right > box.left &&
        top < box.bottom &&
        bottom > box.top &&
        documentOf(cover) === documentOf(element) &&
        (isPseudo || (!contains(cover, element) && !contains(element, cover))),
    );
  }

  /** Returns why a text can't be seen. Undefined if it can. */
  reasonOf(suspect: Suspect): Reason {
    const { element, box } = suspect;
    const startedAt = performance.now();
    if (this.#spentMs > LIMIT_MS) return 'not_checked';
    if (!this.#isOpen) adoptStyleSheet(HITTABLE);
    this.#isOpen = true;
    const points = [0.02, 0.5, 0.98].map((share) => box.left + (box.right - box.left) * share);
    const found = inView(element, box, (y) => points.map((x) => this.#reasonAt(suspect, x, y)));
    this.#spentMs += performance.now() - startedAt;
    const reasons = found.filter((reason) => reason !== undefined);
    return reasons.length >= 2 ? reasons[0] : undefined;
  }

  /** Restores the styles of the page. */
  end(): void {
    if (!this.#isOpen) return;
    for (const root of rootsOf()) {
      const sheets = sheetsOf(root);
      const index = sheets.findIndex((sheet) => Reflect.get(sheet, 'rulesOfClient') === HITTABLE);
      if (index !== -1) sheets.splice(index, 1);
    }
  }

  #reasonAt({ element, box, colour, isPale }: Suspect, x: number, y: number): Reason {
    const usual = isPale ? 'same_colour' : undefined;
    const layers = layersIn(documentOf(element), x, y);
    if (layers.length === 0) return usual; // out of the window
    const { shaped, boxed, blendMode } = this.#elements.of(element);
    const index = layers.indexOf(boxed);
    if (index === -1) {
      const isCut = shaped !== undefined && !layers.some((layer) => contains(shaped, layer));
      return isCut ? 'clipped' : usual;
    }
    const [wide, high] = [(box.right - box.left) / 2, (box.bottom - box.top) / 2];
    const above = layers.slice(0, index);
    const isCovered =
      above.some((layer) => !contains(boxed, layer) && this.#isOpaque(layer)) ||
      [...above, boxed].some((layer) => this.#hasPseudoCover(layer, wide, high));
    if (isCovered) return 'covered';
    if (!isPale) return undefined;
    const backdrop = this.#backdropOf(layers.slice(index), wide);
    const isSame = backdrop?.every((below) => this.#colours.isSame(colour, below, blendMode));
    return isSame === true ? 'same_colour' : undefined;
  }

  /** Opaque boxes outside the normal flow, which may cover content that is not inside them. */
  #findCovers(): Cover[] {
    const found: Cover[] = [];
    for (const element of everywhere('*')) {
      if (found.length >= MAX_COVERS) return found;
      if (this.#hasPseudoCover(element, 4, 4)) found.push({ element, box: boxOf(element), isPseudo: true });
      if (isInFlow(computed(element)) || !this.#isOpaque(element)) continue;
      const box = boxOf(element);
      if (box.width * box.height >= 16) found.push({ element, box, isPseudo: false });
    }
    return found;
  }

  #isOpaque(element: Element): boolean {
    const { opacity, style } = this.#elements.of(element);
    if (opacity < 0.9 || style.visibility !== 'visible') return false;
    const layer = this.#colours.painted(style, [[0, 0, 0, 0]]);
    if (layer?.every(([, , , shade]) => shade >= 0.9) === true) return true;
    const [, blurred = '0'] = /blur\(([\d.]+)px\)/.exec(style.backdropFilter) ?? [];
    if (Number(blurred) >= 8) return true;
    if (/^(?:video|iframe|frame)$/.test(nameOf(element))) return true;
    return isDrawn(element) && this.#isOpaquePicture(element);
  }

  /** Looks at a few pixels of a picture. Those of another origin can't be read. */
  #isOpaquePicture(picture: HTMLImageElement | HTMLCanvasElement): boolean {
    const side = 4;
    const canvas = this.#examined++ < MAX_PICTURES ? new OffscreenCanvas(side, side).getContext('2d') : null;
    try {
      canvas?.drawImage(picture, 0, 0, side, side);
      const data = canvas?.getImageData(0, 0, side, side).data;
      return data?.every((value, index) => index % 4 !== 3 || value >= 230) === true;
    } catch {
      return /^[^?#]+\.jpe?g(?:[?#]|$)/i.test(attribute(picture, 'src') ?? '');
    }
  }

  /** True if a positioned pseudo-element of this size, in front of the text of the element, is opaque. */
  #hasPseudoCover(element: Element, wide: number, high: number): boolean {
    return PSEUDOS.some((part) => {
      const style = computed(element, part);
      if (style.content === 'none' || !/absolute|fixed/.test(style.position)) return false;
      const isLarge = Number.parseFloat(style.width) >= wide && Number.parseFloat(style.height) >= high;
      if (!isLarge || Number(style.zIndex) < 0 || Number(style.opacity) < 0.9) return false;
      return this.#colours.painted(style, [[0, 0, 0, 0]])?.every(([, , , shade]) => shade >= 0.9) === true;
    });
  }

  /** Returns the colours that may be painted by these layers, the top first. Undefined if a picture is among them. */
  #backdropOf(layers: readonly Element[], wide: number): readonly Colour[] | undefined {
    const isOver = layers.findIndex((layer) => isPicture(layer) || this.#isOpaque(layer));
    const seen = isOver === -1 ? layers : layers.slice(0, isOver + 1);
    if (seen.some(isPicture)) return undefined;
    return seen
      .toReversed()
      .reduce<readonly Colour[] | undefined>(
        (below, layer) => this.#paintedBy(layer, below, wide),
        [[255, 255, 255, 1]],
      );
  }

  #paintedBy(layer: Element, below: readonly Colour[] | undefined, wide: number): readonly Colour[] | undefined {
    return PSEUDOS.reduce(
      (under, part) => {
        const style = computed(layer, part);
        const isThere =
          style.content !== 'none' && Number(style.opacity) >= 0.5 && Number.parseFloat(style.width) >= wide;
        return isThere ? this.#colours.painted(style, under) : under;
      },
      this.#colours.painted(this.#elements.of(layer).style, below),
    );
  }
}

function contains(outer: Element, inner: Element): boolean {
  return Node.prototype.contains.call(outer, inner);
}

function isPicture(element: Element): boolean {
  return /^(?:img|video|canvas|svg|picture|iframe|frame|object|embed|image)$/i.test(nameOf(element));
}

function isDrawn(element: Element): element is HTMLImageElement | HTMLCanvasElement {
  return /^(?:img|canvas)$/.test(nameOf(element));
}

function isInFlow({ position, transform, marginTop, marginLeft, zIndex, translate }: CSSStyleDeclaration): boolean {
  return (
    position === 'static' &&
    transform === 'none' &&
    translate === 'none' &&
    zIndex === 'auto' &&
    !marginTop.startsWith('-') &&
    !marginLeft.startsWith('-')
  );
}

/**
 * Runs a test with the box in the middle of the window, as far as the page can be scrolled, where no header lies over
 * it.
 */
function inView<T>(element: Element, { top, bottom }: Box, test: (y: number) => T): T {
  const view = viewOf(element) ?? window;
  const { innerHeight, scrollX, scrollY } = view;
  const middle = (top + bottom) / 2;
  if (middle > innerHeight * 0.2 && middle < innerHeight * 0.8) return test(middle);
  view.scrollTo({ top: scrollY + middle - innerHeight / 2, behavior: 'instant' });
  const tested = test(middle + scrollY - view.scrollY);
  view.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
  return tested;
}

/** All elements at a point, the top first, with those in open shadow trees before their hosts. */
function layersIn(root: Document | ShadowRoot, x: number, y: number): readonly Element[] {
  const hits = isDocument(root) ? Document.prototype.elementsFromPoint.call(root, x, y) : root.elementsFromPoint(x, y);
  return hits.flatMap((element) => {
    if (Node.prototype.getRootNode.call(element) !== root) return [];
    const inner = read(Element.prototype, element, 'shadowRoot');
    return inner === null ? [element] : [...layersIn(inner, x, y), element];
  });
}
