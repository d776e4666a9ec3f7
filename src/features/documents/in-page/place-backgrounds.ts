import { adoptStyleSheet } from '../../../core/steps/in-page/adopt-style-sheet.ts';
import { announceOwnChange, computed, rootElement } from '../../../core/steps/in-page/nodes.ts';
import { forEachPageRule, hasBackground } from './page-rules.ts';

/** A kind of sheet, in CSS pixels: its size, and its margins on the left and at the top. */
export type BackgroundSheet = Size & {
  /** Selectors of the @page rules that hold for it, the weakest first. */
  readonly selectors: readonly string[];
  readonly left: number;
  readonly top: number;
};

type Size = Readonly<Record<'width' | 'height', number>>;

/** Layers of a background that are drawn, the first of which is in front. */
const MOST_LAYERS = 50;
/** Time for a picture whose size is needed, in milliseconds. */
const LATE_MS = 3_000;
/** End of the address of a gradient that is a picture. It has no natural size. */
const GRADIENT = '#gradient")';
const SVG = 'http://www.w3.org/2000/svg';
const XHTML = 'http://www.w3.org/1999/xhtml';

/**
 * Places the backgrounds of @page rules on their sheets. Chrome draws no gradients there, resolves `cover`, `center`
 * and percentages against the content of the page, and crashes at `fixed` (Chromium 153). So gradients become pictures,
 * and sizes and positions lengths. Runs in the page.
 */
export async function placeBackgrounds(sheets: readonly BackgroundSheet[], maxRules: number): Promise<void> {
  const ofSelectors = new Map<string, CSSPageRule>();
  forEachPageRule(maxRules, (rule) => {
    if (hasBackground(rule)) ofSelectors.set(rule.selectorText, rule);
  });
  const layersOfRules = new Map<CSSPageRule, Promise<readonly Layer[]>>();
  const rules = sheets.map(async (sheet) => {
    const rule = ofSelectors.get(sheet.selectors.findLast((selector) => ofSelectors.has(selector)) ?? '');
    if (rule === undefined) return '';
    const layers = layersOfRules.get(rule) ?? readLayers(rule);
    layersOfRules.set(rule, layers);
    const placed = (await layers).map((layer) => ({ ...layer, ...placeLayer(layer, sheet) }));
    const listOf = (name: 'size' | 'position' | 'repeat'): string => placed.map((layer) => layer[name]).join();
    const declared = (['size', 'position', 'repeat'] as const).map((name) => `background-${name}: ${listOf(name)};`);
    return `@page ${sheet.selectors.at(-1)} { ${declared.join(' ')} }`;
  });
  adoptStyleSheet((await Promise.all(rules)).join('\n'), 'backgrounds');
}

/** A layer of a background. Its values are computed ones: lengths are in pixels, keywords are percentages. */
interface Layer {
  readonly size: string;
  readonly x: string;
  readonly y: string;
  readonly repeat: string;
  /** Natural size of a picture. Undefined for what has none. */
  readonly natural: Size | undefined;
  readonly isGradient: boolean;
  /** False for functions such as `image-set`, whose picture is not known. */
  readonly isKnown: boolean;
}

/** Returns the layers of the rule's background, and makes pictures of its gradients. */
async function readLayers({ style, parentStyleSheet }: CSSPageRule): Promise<readonly Layer[]> {
  announceOwnChange();
  const probe = document.createElement('div');
  probe.style.cssText = style.cssText; // single values would have `initial` in their lists
  probe.style.setProperty('display', 'none', 'important');
  const root = rootElement();
  if (root !== null) Element.prototype.append.call(root, probe);
  const { backgroundSize, backgroundPositionX, backgroundPositionY, backgroundRepeat } = computed(probe);
  const values = [backgroundSize, backgroundPositionX, backgroundPositionY, backgroundRepeat];
  const [sizes, xs, ys, repeats] = values.map((each) => partsOf(each));
  probe.remove();
  // Chrome crashes if a rule has more pictures than places (Chromium 153).
  const images = partsOf(style.getPropertyValue('background-image')).slice(0, MOST_LAYERS).map(asPicture);
  const priority = style.getPropertyPriority('background-image');
  style.setProperty('background-image', images.join(), priority);
  style.setProperty('background-attachment', 'scroll', priority);
  return Promise.all(
    images.map(async (image, index) => ({
      size: valueOf(sizes, index),
      x: valueOf(xs, index),
      y: valueOf(ys, index),
      repeat: valueOf(repeats, index),
      natural: await naturalSizeOf(image, parentStyleSheet?.href ?? document.baseURI),
      isGradient: image.endsWith(GRADIENT),
      isKnown: image.startsWith('url('),
    })),
  );
}

/** Returns the value of a layer: a list that is shorter than that of the pictures begins again. */
function valueOf(list: readonly string[] | undefined, index: number): string {
  return list?.[index % list.length] ?? '';
}

function asPicture(image: string): string {
  if (!/^[\w-]*gradient\(/.test(image)) return image;
  const picture = document.implementation.createDocument(SVG, 'svg');
  const frame = picture.createElementNS(SVG, 'foreignObject');
  for (const side of ['width', 'height']) frame.setAttribute(side, '100%');
  const box = picture.createElementNS(XHTML, 'div');
  box.setAttribute('style', `height: 100%; background: ${image}`);
  frame.append(box);
  picture.documentElement.append(frame);
  return `url("data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}${GRADIENT}`;
}

async function naturalSizeOf(image: string, base: string): Promise<Size | undefined> {
  const [, address] = /^url\("([^"\\]*(?:\\.[^"\\]*)*)"\)$/s.exec(image) ?? [];
  if (address === undefined || image.endsWith(GRADIENT) || !URL.canParse(address, base)) return undefined;
  const picture = Object.assign(new Image(), { src: new URL(address, base).href });
  // A picture that is lost or late is not drawn.
  const limit = AbortSignal.timeout(LATE_MS); // a timer never fires if scripts of the page are disabled
  const isLate = new Promise((resolve) => {
    limit.addEventListener('abort', resolve, { once: true });
  });
  await Promise.race([picture.decode().catch(() => undefined), isLate]);
  const { naturalWidth: width, naturalHeight: height } = picture;
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/**
 * Returns size and position of a layer on the sheet, from the corner of its content, where Chrome begins. A picture
 * that has both in lengths is left there: that is how letterheads are written for Chrome.
 */
function placeLayer(
  { size, x, y, natural, isGradient, isKnown }: Layer,
  sheet: BackgroundSheet,
): { readonly size: string; readonly position: string } {
  const isPlain = !isGradient && !/%|cover|contain/.test(`${size} ${x} ${y}`);
  if (isPlain || !isKnown || /\b(?:min|max|clamp)\(/.test(`${size} ${x} ${y}`)) return { size, position: `${x} ${y}` };
  const { width, height } = sizeOn(sheet, size, natural);
  const left = lengthOf(x, sheet.width - width) - sheet.left;
  const top = lengthOf(y, sheet.height - height) - sheet.top;
  return { size: `${width}px ${height}px`, position: `${left}px ${top}px` };
}

function sizeOn(sheet: Size, size: string, natural: Size | undefined): Size {
  if (size === 'cover' || size === 'contain') {
    if (natural === undefined) return sheet;
    const factors = [sheet.width / natural.width, sheet.height / natural.height];
    const factor = size === 'cover' ? Math.max(...factors) : Math.min(...factors);
    return { width: natural.width * factor, height: natural.height * factor };
  }
  const [across = 'auto', down = 'auto'] = size.split(/ (?![^(]*\))/);
  const width = across === 'auto' ? undefined : lengthOf(across, sheet.width);
  const height = down === 'auto' ? undefined : lengthOf(down, sheet.height);
  if (natural === undefined) return { width: width ?? sheet.width, height: height ?? sheet.height };
  return {
    width: width ?? (height === undefined ? natural.width : (height * natural.width) / natural.height),
    height: height ?? (width === undefined ? natural.height : (width * natural.height) / natural.width),
  };
}

/** Returns the length of a computed value, such as `50%`, `12px` or `calc(100% - 12px)`. */
function lengthOf(value: string, whole: number): number {
  const [, percent = '0'] = /(-?[\d.]+)%/.exec(value) ?? [];
  const [, sign = '', pixels = '0'] = /([-+]?) ?([\d.]+)px/.exec(value) ?? [];
  return (whole * Number(percent)) / 100 + Number(`${sign}${pixels}`);
}

/** Splits a list of values at its commas, which may also stand in brackets and quotes. */
function partsOf(list: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of list.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^"(),]+|./gs)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${token}`);
  }
  return parts.map((part) => part.trim());
}
