import { deflateSync, crc32, gzipSync } from 'node:zlib';
import type { GrowthCase, GrowingRequest } from '../growth-case.ts';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

/** Returns a png of rows, each of which repeats the bytes of one pixel for its width. */
function png(width: number, height: number, rowOf: (y: number) => Buffer, colourType: 0 | 2 = 2): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType], 8);
  const rows = Array.from({ length: height }, (_, y) => Buffer.concat([Buffer.from([0]), rowOf(y)]));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A number that looks random. */
const mixed = (seed: number): number => Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 8;
const colour = (seed: number): number[] => [mixed(seed) & 255, mixed(seed + 1) & 255, mixed(seed + 2) & 255];
/** Returns a square picture of one grey. */
function greyOf(pixels: number, value: number): Buffer {
  const side = Math.round(Math.sqrt(pixels));
  return png(side, side, () => Buffer.alloc(side, value), 0);
}
const oneColour = (width: number, seed: number): Buffer => Buffer.alloc(width * 3, Buffer.from(colour(seed)));
const pictures = (before: Buffer, after: Buffer, fields: object = {}): GrowingRequest => ({
  path: '/compare',
  body: { before: { base64: before.toString('base64') }, after: { base64: after.toString('base64') }, ...fields },
});
const pages = (before: string, after: string, fields: object = {}): GrowingRequest => ({
  path: '/compare',
  body: { before: { capture: { html_content: before } }, after: { capture: { html_content: after } }, ...fields },
});
/** Makes two pages or pictures. */
const both = <In, Out>(one: In, two: In, make: (each: In) => Out): readonly [Out, Out] => [make(one), make(two)];
/** Two pages that differ in a colour. */
const redAndBlue = (make: (colour: string) => string, fields: object = {}): GrowingRequest =>
  pages(...both('red', 'blue', make), fields);
/** Many elements, and one word that differs. */
const words = (word: string): string => `<body>${word}${'<b></b>'.repeat(19_000)}`;

/** Comparisons: pictures, rows, regions, elements and boxes. */
export const COMPARISONS: readonly GrowthCase[] = [
  {
    name: 'compare: length of an id',
    sizes: [100, 1_000, 16_000, 300_000],
    request: (size) =>
      redAndBlue(
        (each) =>
          `<body><div id="${'a'.repeat(size)}" style="background:${each};height:50px">${'<i></i>'.repeat(19_000)}`,
      ),
  },
  {
    name: 'compare: ids that are long',
    sizes: [100, 300, 1_000, 3_000],
    request: (size) =>
      redAndBlue(
        (each) =>
          `<body style="background:${each}">${Array.from({ length: 1_000 }, (_, i) => `<p id="${'a'.repeat(size)}${i}">x`).join('')}`,
      ),
  },
  {
    name: 'compare: length of an element name',
    sizes: [100, 1_000, 12_000],
    request: (size) =>
      redAndBlue(
        (each) =>
          `<body><x-${'a'.repeat(size)} style="display:block;background:${each};height:50px">${'<i></i>'.repeat(19_000)}`,
      ),
  },
  {
    name: 'compare: nested elements',
    sizes: [500, 1_000, 2_000],
    request: (size) => pages(`${'<div>'.repeat(size)}a`, `${'<div>'.repeat(size)}b`),
  },
  {
    name: 'compare: elements',
    sizes: [1_000, 4_000, 16_000, 32_000],
    request: (size) => pages(`a${'<p>x</p>'.repeat(size)}`, `b${'<p>x</p>'.repeat(size)}`),
  },
  {
    name: 'compare: regions',
    sizes: [50, 200, 800],
    request: (size) =>
      redAndBlue(
        (each) =>
          Array.from({ length: size }, () => `<p style="margin:20px;height:5px;width:5px;background:${each}">`).join(
            '',
          ),
        { format: 'png' },
      ),
  },
  {
    name: 'compare: ignore',
    sizes: [1, 12, 48],
    request: (size) =>
      pages(words('a'), words('b'), {
        ignore: Array.from({ length: size }, (_, i) => ({ selector: `b:not(#x${i})` })),
      }),
  },
  {
    name: 'compare: ignored boxes',
    sizes: [1_000, 4_000, 16_000],
    request: (size) =>
      pages(
        ...both(
          'a',
          'b',
          (each) =>
            `${each}<style>b{position:absolute;left:0;width:900px;height:700px}</style>${'<b>x</b>'.repeat(size)}`,
        ),
        { ignore: [{ selector: 'b' }] },
      ),
  },
  {
    name: 'compare: ignored lines in each other',
    sizes: [100, 200, 400],
    request: (size) =>
      redAndBlue((each) => `<body style="color:${each}">${'<span>'.repeat(size)}${'word <i>a</i> '.repeat(5_000)}`, {
        ignore: [{ selector: 'span' }],
      }),
  },
  {
    name: 'compare: ignored boxes in deep boxes',
    sizes: [100, 300, 900],
    request: (size) =>
      redAndBlue(
        (each) =>
          `<body style="color:${each}"><script>let at = document.body; for (let i = 0; i < ${size}; i++) { const box = document.createElement('div'); box.style.cssText = 'overflow:clip;' + (i % 3 ? '' : 'position:absolute'); at.append('x', box); at = box; }</script>`,
        { ignore: [{ selector: 'div' }] },
      ),
  },
  {
    name: 'compare: rectangles',
    sizes: [1, 10, 50],
    request: (size) =>
      pictures(
        png(1_000, 1_000, (y) => oneColour(1_000, y)),
        png(1_000, 1_000, (y) => oneColour(1_000, y + 1)),
        { ignore: Array.from({ length: size }, () => ({ x: 0, y: 0, width: 1_000_000, height: 1_000_000 })) },
      ),
  },
  {
    name: 'compare: rows that moved',
    sizes: [50, 200, 800],
    request: (size) => {
      const own = Array.from({ length: size }, (_, i) => [8 * i, 8 * i, 8 * i + 1, 8 * i + 2]).flat();
      const other = Array.from({ length: size }, (_, i) => [8 * i, 8 * i, 8 * i + 2, 8 * i + 3]).flat();
      return pictures(
        png(1_000, own.length, (y) => oneColour(1_000, own[y] ?? 0)),
        png(1_000, other.length, (y) => oneColour(1_000, other[y] ?? 0)),
      );
    },
  },
  {
    name: 'compare: rows in another order',
    sizes: [200, 1_000, 5_000],
    request: (size) =>
      pictures(
        png(300, size, (y) => oneColour(300, y)),
        png(300, size, (y) => oneColour(300, size - y)),
      ),
  },
  {
    name: 'compare: rows that all differ',
    sizes: [500, 2_000, 8_000],
    request: (size) =>
      pictures(
        png(1_280, size, (y) => oneColour(1_280, y)),
        png(1_280, size, (y) => oneColour(1_280, y + 90_000)),
      ),
  },
  {
    name: 'compare: pixels that all differ',
    sizes: [100, 300, 900],
    request: (size) =>
      pictures(
        ...both(1, 7, (seed) =>
          png(1_000, size, (y) =>
            Buffer.from(Array.from({ length: 3_000 }, (_, x) => mixed(seed + y * 3_000 + x) & 255)),
          ),
        ),
      ),
  },
  {
    name: 'compare: dots',
    sizes: [100, 400, 1_600],
    request: (size) =>
      pictures(
        ...both(0, 255, (value) =>
          png(1_000, size, (y) =>
            Buffer.from(Array.from({ length: 3_000 }, (_, x) => (y % 20 === 0 && x % 60 < 3 ? value : 128))),
          ),
        ),
        { format: 'webp' },
      ),
  },
  {
    name: 'compare: half of the rows are equal',
    sizes: [500, 2_000, 8_000],
    request: (size) =>
      pictures(
        png(300, size, (y) => oneColour(300, y % 2 === 0 ? 5 : y)),
        png(300, size, (y) => oneColour(300, y % 2 === 0 ? 5 : y + 1_000)),
      ),
  },
  {
    name: 'compare: pixels',
    sizes: [1_000_000, 9_000_000, 100_000_000],
    request: (size) =>
      pictures(greyOf(size, 120), greyOf(size, 130), {
        format: 'png',
        ignore: [{ x: 0, y: 0, width: 10, height: 10 }],
      }),
  },
  {
    name: 'compare: lines',
    sizes: [500, 2_000, 8_000],
    request: (size) => {
      const lines = (by: number): string => Array.from({ length: size }, (_, i) => `<p>${mixed(i + by)}`).join('');
      return pages(lines(0), lines(7), { mode: 'text' });
    },
  },
  {
    name: 'compare: other formats',
    sizes: [100_000, 1_000_000, 3_000_000],
    request: (size) => {
      const svg = gzipSync(
        `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${'<path d="M0 0h9v9z"/>'.repeat(size / 20)}</svg>`,
      );
      const noise = Buffer.from(Array.from({ length: Math.min(size, 1_000_000) }, (_, i) => mixed(i) & 255));
      return pictures(svg, noise);
    },
  },
];
