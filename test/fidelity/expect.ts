import { AssertionError } from 'node:assert';
import { equal } from 'node:assert/strict';
import { COLOUR, type Colour } from '../support/colour.ts';
import type { CaptureAnswer } from '../support/http.ts';
import type { Box } from '../support/pages/box.ts';
import { type Picture, readPicture } from '../support/pixels.ts';

/** Expected content of a picture, in CSS pixels. */
export interface Scenery {
  readonly width: number;
  readonly height: number;
  /** Boxes, painted one over the other on the background. */
  readonly boxes: readonly Box[];
  readonly background?: Colour;
  readonly density?: number;
  /** Number of unchecked device pixels on both sides of an edge, for edges between pixels. */
  readonly softEdge?: number;
  readonly tolerance?: number;
}

const CHANNELS = 4;
const ANYTHING = -1;

/** Asserts that every pixel of a capture matches the geometry. Returns the picture. */
export async function expectScenery(answer: CaptureAnswer, scenery: Scenery): Promise<Picture> {
  const picture = await readCapture(answer);
  const { width, height, boxes, background = COLOUR.white, density = 1, tolerance = 2 } = scenery;
  equal(
    `${picture.width} x ${picture.height}`,
    `${Math.round(width * density)} x ${Math.round(height * density)}`,
    'size of the picture',
  );

  const expected = paint(picture, { boxes, background, density, softEdge: scenery.softEdge ?? 0 });
  for (const [index, colour] of expected.entries()) {
    if (colour === ANYTHING || isColour(picture.rgba, index * CHANNELS, colour, tolerance)) continue;
    const [x, y] = [index % picture.width, Math.floor(index / picture.width)];
    const expectedChannels = [colour >> 16, (colour >> 8) & 255, colour & 255];
    throw new AssertionError({
      message: `Pixel (${x}, ${y}) is rgba(${picture.pixel(x, y).join(', ')}), not rgb(${expectedChannels.join(', ')})`,
    });
  }
  return picture;
}

/** Asserts a successful capture and decodes it. */
export async function readCapture(answer: CaptureAnswer): Promise<Picture> {
  expectCaptured(answer);
  return await readPicture(answer.body);
}

/** Asserts a successful capture. */
export function expectCaptured({ status, body }: CaptureAnswer): void {
  if (status === 200) return;
  throw new AssertionError({ message: `Answered ${status}: ${body.toString('utf8', 0, 300)}` });
}

/** Asserts an error of this status and type. */
export function expectRefused(answer: CaptureAnswer, status: number, errorType: string): void {
  const type = answer.status === 200 ? 'a capture' : /"error_type":"(\w+)"/.exec(answer.body.toString('utf8'))?.[1];
  equal(`${answer.status} ${type}`, `${status} ${errorType}`);
}

/** Asserts exactly these codes in X-Capture-Warnings, in any order. */
export function expectWarnings(answer: CaptureAnswer, ...codes: readonly string[]): void {
  const given = (answer.headers.get('x-capture-warnings') ?? '').split(',').map((code) => code.trim());
  equal(given.filter(Boolean).toSorted().join(' '), codes.toSorted().join(' '), 'X-Capture-Warnings');
}

/** Asserts that this colour occurs in a column of the picture in one unbroken run of this length in pixels. */
export function expectOneRun(picture: Picture, column: number, colour: Colour, length: number): void {
  const runs: string[] = [];
  let start = 0;
  for (let row = 0; row <= picture.height; row++) {
    const same =
      row < picture.height && isColour(picture.rgba, (row * picture.width + column) * CHANNELS, toNumber(colour), 2);
    if (same) continue;
    if (row > start) runs.push(`${row - start} at ${start}`);
    start = row + 1;
  }
  equal(runs.map((run) => run.split(' ')[0]).join(), `${length}`, `Runs of ${colour.join()}: ${runs.join('; ')}`);
}

interface Painting {
  readonly boxes: readonly Box[];
  readonly background: Colour;
  readonly density: number;
  readonly softEdge: number;
}

/** Returns the colour of each pixel as 0xrrggbb, row by row. */
function paint(size: Picture, { boxes, background, density, softEdge }: Painting): Int32Array {
  const pixels = new Int32Array(size.width * size.height).fill(toNumber(background));
  const fill = (edges: readonly [number, number, number, number], value: number): void => {
    const [left, right] = [edges[0], edges[2]].map((edge) => Math.min(Math.max(edge, 0), size.width));
    for (let y = Math.max(edges[1], 0); y < Math.min(edges[3], size.height); y++) {
      pixels.fill(value, y * size.width + (left ?? 0), y * size.width + (right ?? 0));
    }
  };
  for (const { x, y, width, height, colour } of boxes) {
    const [left, top, right, bottom] = [x, y, x + width, y + height].map((edge) => Math.round(edge * density));
    const edges = [left ?? 0, top ?? 0, right ?? 0, bottom ?? 0] as const;
    if (softEdge > 0)
      fill([edges[0] - softEdge, edges[1] - softEdge, edges[2] + softEdge, edges[3] + softEdge], ANYTHING);
    fill([edges[0] + softEdge, edges[1] + softEdge, edges[2] - softEdge, edges[3] - softEdge], toNumber(colour));
  }
  return pixels;
}

function isColour(rgba: Uint8Array, at: number, colour: number, tolerance: number): boolean {
  return (
    Math.abs((rgba[at] ?? 0) - (colour >> 16)) <= tolerance &&
    Math.abs((rgba[at + 1] ?? 0) - ((colour >> 8) & 255)) <= tolerance &&
    Math.abs((rgba[at + 2] ?? 0) - (colour & 255)) <= tolerance &&
    (rgba[at + 3] ?? 0) === 255
  );
}

function toNumber([red, green, blue]: Colour): number {
  return (red << 16) | (green << 8) | blue;
}
