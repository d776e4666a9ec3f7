import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WIDTH = 130; // not a whole number of bytes at 1 bit a pixel
const HEIGHT = 90;
/** Left half: a light gray. Right half: a dark red. */
const PAGE = `<style>body { margin: 0; display: flex; height: 100vh } i { flex: 1; background: rgb(192, 192, 192) } b { flex: 1; background: rgb(120, 0, 0) }</style><i></i><b></b>`;
const HALVES = { i: 192, b: 55 }; // as grays, of 255

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function take(fields: object): Promise<Buffer> {
  const answer = await capture(service.url, {
    html_content: PAGE,
    window_width: WIDTH,
    window_height: HEIGHT,
    ...fields,
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Returns the mean of each half, leaving out the middle. */
async function meansOf(picture: Buffer): Promise<{ readonly i: number; readonly b: number }> {
  const meanOf = async (left: number): Promise<number> => {
    const half = await sharp(picture).extract({ left, top: 0, width: 60, height: HEIGHT }).png().toBuffer();
    return (await sharp(half).stats()).channels[0]?.mean ?? NaN;
  };
  return { i: await meanOf(0), b: await meanOf(70) };
}

/** Bits of a pixel and colour type of a png: 0 is gray, 4 gray with alpha. */
const kindOf = (png: Buffer): readonly number[] => [...png.subarray(24, 26)];

describe('the colours of a picture', () => {
  it('are grays with 8 bits in a gray png', async () => {
    const png = await take({ color: 'gray' });

    expect(kindOf(png)).toEqual([8, 0]);
    const { i, b } = await meansOf(png);
    expect(Math.abs(i - HALVES.i)).toBeLessThan(2);
    expect(Math.abs(b - HALVES.b)).toBeLessThan(15);
  });

  it.each(['jpeg', 'webp', 'avif'])('are grays in a gray %s', async (format) => {
    const { data, info } = await sharp(await take({ color: 'gray', format }))
      .raw()
      .toBuffer({ resolveWithObject: true });

    const atRight = [...data.subarray(100 * info.channels, 100 * info.channels + Math.min(info.channels, 3))];
    expect(Math.max(...atRight) - Math.min(...atRight)).toBeLessThan(3);
  });

  it('keep transparency in a gray png', async () => {
    const png = await take({ html_content: '<p>x', color: 'gray', omit_background: true });

    expect(kindOf(png)).toEqual([8, 4]);
  });

  it('are black and white in patterns as light as the page, with 1 bit', async () => {
    const png = await take({ color: 'mono' });

    expect(kindOf(png)).toEqual([1, 0]);
    const { width, height } = await sharp(png).metadata();
    expect([width, height]).toEqual([WIDTH, HEIGHT]);
    const { i, b } = await meansOf(png);
    expect(Math.abs(i - HALVES.i)).toBeLessThan(8);
    expect(Math.abs(b - HALVES.b)).toBeLessThan(15);
  });

  it('are whole areas of black and white without dither', async () => {
    expect(await meansOf(await take({ color: 'mono', dither: false }))).toEqual({ i: 255, b: 0 });
  });

  it.each([
    [
      'a large picture, encoded apart',
      { full_page: true, html_content: '<body style="margin:0"><div style="height:9000px">', window_width: 4_000 },
      [4_000, 9_000],
    ],
    [
      'a resized picture, on white',
      { resize_width: 100, resize_height: 100, resize_fit: 'contain', omit_background: true },
      [100, 100],
    ],
  ])('are black and white in %s', async (_what, fields, size) => {
    const png = await take({ color: 'mono', ...fields });

    expect(kindOf(png)).toEqual([1, 0]);
    const { width, height } = await sharp(png, { limitInputPixels: false }).metadata();
    expect([width, height]).toEqual(size);
  });

  it.each([
    [{ color: 'mono', format: 'jpeg' }, 'color: mono needs the format png, which alone has pictures of 1 bit'],
    [{ color: 'gray', format: 'pdf' }, 'color: gray needs the format of a picture'],
    [{ color: 'gray', dither: true }, 'dither: needs color to be mono'],
    [{ dither: false }, 'dither: needs color to be mono'],
    [{ color: 'grey' }, 'color: must be one of full, gray, mono'],
  ])('are refused with a reason: %j', async (fields, details) => {
    const answer = await capture(service.url, { html_content: PAGE, ...fields });

    expect(readError(answer)).toEqual(invalid(details));
  });
});
