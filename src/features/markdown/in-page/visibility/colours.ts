/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, opacity: number];

export interface Colours {
  /** Returns the colour of a computed value. */
  readonly read: (text: string) => Colour;
  /** Returns all colours in the gradients of a computed background. Undefined if it has a picture. */
  readonly ofGradients: (text: string) => readonly Colour[] | undefined;
  /** Returns the possible colours after the background of an element is painted. Undefined: a picture. */
  readonly painted: (style: CSSStyleDeclaration, below: readonly Colour[] | undefined) => readonly Colour[] | undefined;
  /** True if an element clips its background to its letters, and that colour differs visibly from what is below. */
  readonly fillsLetters: (style: CSSStyleDeclaration, below: readonly Colour[] | undefined) => boolean;
  /** True if a person can't tell a colour from the one that it is painted over. */
  readonly isSame: (top: Colour, below: Colour) => boolean;
}

/** Creates functions for the colours of computed styles. Runs in the page. */
export function colours(): Colours {
  const distinct = [64, 64, 128]; // of 255, by channel: red letters on a grey of the same lightness can be read
  const least = 1.25; // contrast that a person sees, from 1 to 21 (WCAG 2)
  const known = new Map<string, Colour>();
  let canvas: OffscreenCanvasRenderingContext2D | null | undefined;

  /** The browser paints the colour: it knows all colour spaces. */
  const paint = (text: string): Colour => {
    canvas ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    if (canvas === null) return [0, 0, 0, 1];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, opacity = 255] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, opacity / 255];
  };
  const parse = (text: string): Colour => {
    const [, red, green, blue, opacity = '1'] =
      /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.e-]+))?\)$/.exec(text) ?? [];
    return red === undefined ? paint(text) : [Number(red), Number(green), Number(blue), Number(opacity)];
  };
  const read = (text: string): Colour => {
    const found = known.get(text) ?? parse(text);
    if (known.size < 1_000) known.set(text, found);
    return found;
  };
  const luminance = ([red, green, blue]: Colour): number => {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
      const share = value / 255;
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  const over = ([r, g, b, a]: Colour, [belowR, belowG, belowB, belowA]: Colour): Colour => {
    const mix = (top: number, below: number): number => top * a + below * (1 - a);
    return [mix(r, belowR), mix(g, belowG), mix(b, belowB), a + belowA * (1 - a)];
  };
  const ofGradients: Colours['ofGradients'] = (text) => {
    if (!text.includes('gradient(') || /url\(|image-set\(|cross-fade\(|element\(|paint\(/.test(text)) return undefined;
    const found = text.slice(0, 5_000).match(/(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]{1,100}\)/g);
    return found?.slice(0, 10).map(read);
  };

  const background: Colours['painted'] = ({ backgroundColor, backgroundImage }, below) => {
    const colour = read(backgroundColor);
    const plain = colour[3] >= 0.95 ? [colour] : below?.map((each) => over(colour, each));
    if (backgroundImage === 'none') return plain;
    const gradients = ofGradients(backgroundImage);
    return gradients === undefined || plain === undefined
      ? undefined
      : gradients.flatMap((each) => plain.slice(0, 4).map((under) => over(each, under)));
  };
  const isSame: Colours['isSame'] = (top, below) => {
    const seen = over(top, below);
    if (distinct.some((most, index) => Math.abs((seen[index] ?? 0) - (below[index] ?? 0)) >= most)) return false;
    const [high = 0, low = 0] = [luminance(seen), luminance(below)].toSorted((x, y) => y - x);
    return (high + 0.05) / (low + 0.05) < least;
  };

  return {
    read,
    ofGradients,
    painted: (style, below) => (style.backgroundClip.includes('text') ? below : background(style, below)),
    fillsLetters: (style, below) => {
      if (!style.backgroundClip.includes('text')) return false;
      const fill = background(style, below);
      if (fill === undefined || below === undefined) return true;
      return fill.some((each) => below.some((under) => !isSame(each, under)));
    },
    isSame,
  };
}
