/** Red, green and blue, 0 to 255 each. */
export type Colour = readonly [red: number, green: number, blue: number];

/** Colours that remain distinguishable after lossy compression. */
export const COLOUR = {
  white: [255, 255, 255],
  black: [0, 0, 0],
  red: [255, 0, 0],
  green: [0, 160, 0],
  blue: [0, 0, 255],
  yellow: [255, 220, 0],
  magenta: [255, 0, 255],
  orange: [255, 128, 0],
  cyan: [0, 200, 255],
} as const satisfies Record<string, Colour>;

/** Returns `count` colours, each distinguishable from its neighbours with a tolerance of 8. */
export function distinctColours(count: number): readonly Colour[] {
  return Array.from({ length: count }, (_, index): Colour => {
    const share = Math.round((index * 220) / Math.max(count - 1, 1));
    return [share, index % 2 === 0 ? 200 : 40, 220 - share];
  });
}

/** Formats the colour for CSS, as `#rrggbb`. */
export function toCss(colour: Colour): string {
  return `#${toHex(colour)}`;
}

/** Returns the path, on any fixture site, of a 40x40 picture of this colour. */
export function pictureOf(colour: Colour, type: 'png' | 'jpg' = 'png'): string {
  return `/pictures/${toHex(colour)}.${type}`;
}

function toHex(colour: Colour): string {
  return colour.map((channel) => channel.toString(16).padStart(2, '0')).join('');
}
