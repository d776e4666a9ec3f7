import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR } from '../../support/colour.ts';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { COLOURS_PAGE } from '../../support/pages/plain.ts';
import { TALL_PAGE } from '../../support/pages/scrolling.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

type Fields = Readonly<Record<string, unknown>>;

const PICTURES = ['png', 'jpeg', 'webp', 'avif'] as const;
const LOSSY_TOLERANCE = 12;
const { white: WHITE } = COLOUR;
const box = (width: number, height: number, resize_fit?: string): Fields => ({
  resize_width: width,
  resize_height: height,
  ...(resize_fit !== undefined && { resize_fit }),
});

describe('a resized picture', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService({ MAX_PIXELS: '60000000' })]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const captureOf = (path: string, fields: Fields): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });
  const pictureOf = async (path: string, fields: Fields): Promise<Picture> => {
    const answer = await captureOf(path, fields);
    expect(answer.status).toBe(200);
    const picture = await readPicture(answer.body);
    expect(answer.headers.get('x-image-width')).toBe(`${picture.width}`);
    expect(answer.headers.get('x-image-height')).toBe(`${picture.height}`);
    return picture;
  };

  it('loads the library only at the first resize', async () => {
    await captureOf('/colours', { format: 'webp' });
    expect(await hasLibrary(service)).toBe(false);
    await captureOf('/colours', { resize_width: 100 });
    expect(await hasLibrary(service)).toBe(true);
  });

  it.each<[Fields, number, number]>([
    [{ resize_width: 400 }, 400, 225],
    [{ resize_height: 225 }, 400, 225],
    [{ resize_width: 333 }, 333, 187],
    [{ resize_width: 1 }, 1, 1],
    [{ resize_width: 1280 }, 1280, 720],
    [{ resize_width: 7680, resize_height: 7680 }, 1280, 720],
    [box(400, 400), 400, 225],
    [box(400, 100), 178, 100],
    [box(400, 400, 'inside'), 400, 225],
    [box(400, 400, 'cover'), 400, 400],
    [box(2000, 1000, 'cover'), 1280, 640],
    [box(400, 400, 'contain'), 400, 400],
    [box(1300, 800, 'contain'), 1300, 800],
    [{ resize_width: 400, pixel_density: 2 }, 400, 225],
    [{ resize_width: 2000, pixel_density: 2 }, 2000, 1125],
    [{ resize_width: 7680, pixel_density: 2 }, 2560, 1440],
    [{ resize_width: 100, window_width: 201, window_height: 333, pixel_density: 1.5 }, 100, 166],
    [{ resize_width: 100, clip: { x: 50, y: 50, width: 400, height: 100 } }, 100, 25],
    [{ resize_width: 100, clip: { x: 50, y: 50, width: 401, height: 101 } }, 100, 25],
    [{ resize_width: 50, clip: { x: 0, y: 0, width: 400, height: 2 } }, 50, 1],
    [{ resize_height: 20, full_page: true, window_width: 300, window_height: 400 }, 15, 20],
  ])('with %j is %i x %i', async (fields, width, height) => {
    const picture = await pictureOf('/colours', fields);

    expect([picture.format, picture.width, picture.height]).toEqual(['png', width, height]);
  });

  // 320 is a quarter, of which the browser draws half; 800 is more than half.
  it.each(PICTURES.flatMap((format) => [320, 800].map((width) => ({ format, width }))))(
    'shows in $format, $width px wide, the same as the page',
    async ({ format, width }) => {
      const picture = await pictureOf('/colours', { format, resize_width: width });

      expect(picture.format).toBe(format);
      const scale = width / 1280;
      for (const { x, y, colour } of Object.values(COLOURS_PAGE)) {
        for (const [dx, dy] of [
          [20, 20],
          [50, 50],
          [80, 80],
        ] as const) {
          const [left, top] = [Math.floor((x + dx) * scale), Math.floor((y + dy) * scale)];
          // JPEG omits half of the colour samples, and the squares are small.
          const tolerance = { png: 2, webp: LOSSY_TOLERANCE, avif: LOSSY_TOLERANCE, jpeg: 24 }[format];
          expectColour(picture, left, top, colour, tolerance);
        }
      }
      expectColour(picture, picture.width - 1, picture.height - 1, WHITE);
    },
  );

  it.each<[string, Fields]>([
    ['/photographs', { resize_width: 400 }],
    ['/photographs', { resize_width: 500, pixel_density: 2 }],
    ['/document', { resize_width: 400 }],
    ['/element#far', { resize_width: 100, window_width: 400, window_height: 400 }],
    ['/element', { resize_width: 100, selector: '#far' }],
    ['/element#far', { resize_width: 100, window_width: 400, window_height: 800, is_mobile: true }],
    ['/tall', { resize_width: 100, full_page: true }],
  ])('equals the original resized by a library: %s with %j', async (path, fields) => {
    const { resize_width: width, ...others } = fields;

    const [whole, small] = await Promise.all([captureOf(path, others), captureOf(path, fields)]);

    const pixels = (body: Buffer): Promise<Buffer> =>
      sharp(body)
        .removeAlpha()
        .resize({ width: Number(width) })
        .raw()
        .toBuffer();
    const [expected, actual] = await Promise.all([pixels(whole.body), pixels(small.body)]);
    expect(actual.length).toBe(expected.length);
    const differences = expected.reduce((sum, value, at) => sum + Math.abs(value - (actual[at] ?? 0)), 0);
    expect(differences / expected.length).toBeLessThan(4);
  });

  it('shows the full width that a phone shows, also if the page is wider than the phone', async () => {
    const halves =
      '<body style="margin:0;display:flex;height:1960px;background:linear-gradient(90deg,#f00 50%,#00f 50%)">';
    const phone = { window_width: 400, window_height: 800, is_mobile: true };

    const answer = await capture(service.url, { html_content: halves, ...phone, resize_width: 100 });

    const picture = await readPicture(answer.body);
    expect([picture.width, picture.height]).toEqual([100, 200]);
    expectColour(picture, 45, 100, [255, 0, 0]);
    expectColour(picture, 55, 100, [0, 0, 255]);
  });

  it('is cropped from the top to cover the box, and equally at both sides', async () => {
    const [fromTop, fromSides] = await Promise.all([
      pictureOf('/tall', { full_page: true, ...box(320, 180, 'cover') }),
      pictureOf('/colours', { clip: { x: 0, y: 0, width: 200, height: 50 }, ...box(50, 50, 'cover') }),
    ]);

    expect([fromTop.width, fromTop.height]).toEqual([320, 180]);
    const [first, second] = TALL_PAGE.bands;
    if (first === undefined || second === undefined) throw new Error('The page has bands');
    expectColour(fromTop, 160, 2, first.colour);
    expectColour(fromTop, 160, 22, first.colour);
    expectColour(fromTop, 160, 60, WHITE);
    expectColour(fromTop, 160, Math.floor((second.y + 50) / 4), second.colour);
    expectColour(fromSides, 20, 25, COLOURS_PAGE.red.colour);
    expectColour(fromSides, 29, 25, COLOURS_PAGE.green.colour);
  });

  it.each(PICTURES)('is centred in its box with fit contain, on white, as %s', async (format) => {
    const clip = { x: 0, y: 0, width: 100, height: 50 };
    const tolerance = format === 'png' ? 2 : LOSSY_TOLERANCE;

    const picture = await pictureOf('/colours', { format, clip, ...box(61, 80, 'contain') });

    expect([picture.width, picture.height]).toEqual([61, 80]);
    for (const [x, y] of [
      [30, 3],
      [30, 20],
      [30, 60],
      [30, 79],
    ] as const) {
      expectColour(picture, x, y, WHITE, tolerance);
    }
    for (const [x, y] of [
      [3, 30],
      [57, 50],
      [30, 40],
    ] as const) {
      expectColour(picture, x, y, COLOURS_PAGE.red.colour, tolerance);
    }
  });

  it('is not enlarged in a larger box', async () => {
    const clip = { x: 0, y: 0, width: 20, height: 20 };

    const picture = await pictureOf('/colours', { clip, ...box(60, 40, 'contain') });

    expect([picture.width, picture.height]).toEqual([60, 40]);
    expectColour(picture, 19, 20, WHITE);
    expectColour(picture, 20, 10, COLOURS_PAGE.red.colour);
    expectColour(picture, 39, 29, COLOURS_PAGE.red.colour);
    expectColour(picture, 40, 29, WHITE);
    expectColour(picture, 30, 30, WHITE);
  });

  const DISC = '<body style="margin:0"><div style="width:100px;height:100px;background:rgb(255 0 0 / 50%)"></div>';
  it.each([
    ['png', {}, 0],
    ['webp', {}, 0],
    ['avif', {}, 0],
    ['png', box(50, 90, 'contain'), 32],
    ['webp', box(50, 90, 'contain'), 32],
    ['avif', box(50, 90, 'contain'), 32],
  ])('is transparent as %s with %j, also as a browser decodes it', async (format, fields, top) => {
    const area = { window_width: 100, window_height: 200, clip: { x: 0, y: 0, width: 100, height: 100 } };
    const answer = await capture(service.url, {
      html_content: DISC,
      ...area,
      clip: { ...area.clip, width: 200 },
      format,
      omit_background: true,
      resize_width: 50,
      ...fields,
    });

    const picture = await readPicture(answer.body);
    const [red, , , alpha] = picture.pixel(10, top + 10);
    expect(red).toBeGreaterThan(240);
    expect(Math.abs(alpha - 128)).toBeLessThanOrEqual(6);
    expect(picture.pixel(40, top + 10)[3]).toBe(0);
    expect(picture.pixel(10, picture.height - 1)[3]).toBe(top === 0 ? alpha : 0);

    // Decoded by the browser, on blue.
    const source = `data:image/${format};base64,${answer.body.toString('base64')}`;
    const html_content = `<body style="margin:0;background:#00f"><img src="${source}" style="display:block">`;
    const shown = await readPicture((await capture(service.url, { html_content })).body);
    expectColour(shown, 10, top + 10, [128, 0, 128], LOSSY_TOLERANCE);
    expectColour(shown, 40, top + 10, [0, 0, 255], LOSSY_TOLERANCE);
  });

  it('is on white if the format has no transparency', async () => {
    const picture = await pictureOf('/colours', {
      format: 'jpeg',
      omit_background: true,
      ...box(300, 300, 'contain'),
    });

    expect([picture.width, picture.height]).toEqual([300, 300]);
    expectColour(picture, 150, 10, WHITE, LOSSY_TOLERANCE);
    expectColour(picture, 250, 150, WHITE, LOSSY_TOLERANCE);
  });

  it.each<[string, number, number, { resize_width?: number; resize_height?: number }]>([
    ['webp', 20_000, 1, { resize_height: 4_000 }],
    ['jpeg', 70_000, 1, { resize_height: 7_000 }],
    ['avif', 20_000, 1, { resize_height: 4_000 }],
    ['png', 40_001, 1, { resize_width: 80 }],
    ['png', 12_000, 2, { resize_width: 100 }],
  ])(
    'may be a %s although the page of %i px at density %i exceeds the limit',
    async (format, height, density, fields) => {
      const answer = await capture(service.url, {
        html_content: stripes(height),
        full_page: true,
        full_page_scroll: false,
        window_width: 400,
        pixel_density: density,
        format,
        ...fields,
      });

      const picture = await readPicture(answer.body);
      expect([picture.format, picture.width, picture.height]).toEqual([
        format,
        fields.resize_width ?? Math.round((400 * (fields.resize_height ?? 0)) / height),
        fields.resize_height ?? Math.round((height * (fields.resize_width ?? 0)) / 400),
      ]);
      const tolerance = format === 'png' ? 2 : LOSSY_TOLERANCE;
      for (let y = 250; y < height; y += 500) {
        const row = Math.floor((y * picture.height) / height);
        const colour = Math.floor(y / 500) % 2 === 0 ? COLOUR.red : COLOUR.blue;
        expectColour(picture, 3, row, y < 500 || colour === COLOUR.red ? [255, 0, 0] : [0, 0, 255], tolerance);
      }
    },
  );

  it.each<[Fields, string]>([
    [{ resize_width: 0 }, 'resize_width: must be a whole number from 1 to 7680'],
    [{ resize_width: 7681 }, 'resize_width: must be a whole number from 1 to 7680'],
    [{ resize_height: 1.5 }, 'resize_height: must be a whole number from 1 to 7680'],
    [{ resize_height: '400' }, 'resize_height: must be a whole number from 1 to 7680'],
    [box(400, 400, 'fill'), 'resize_fit: must be one of inside, cover, contain'],
    [{ resize_fit: 'cover' }, 'resize_fit: needs both resize_width and resize_height'],
    [{ resize_fit: 'inside' }, 'resize_fit: needs both resize_width and resize_height'],
    [{ resize_fit: 'contain', resize_width: 1 }, 'resize_fit: needs both resize_width and resize_height'],
    [{ resize_fit: 'cover', resize_height: 1 }, 'resize_fit: needs both resize_width and resize_height'],
  ])('is refused with %j: %s', async (fields, details) => {
    expect(readError(await captureOf('/colours', fields))).toEqual(invalid(details));
  });

  it.each<[string, Fields, RegExp]>([
    [
      'captured with more pixels than MAX_PIXELS',
      { window_width: 7680, window_height: 7680, pixel_density: 1.1, resize_width: 10 },
      /^The picture would be 8448 x 8448 pixels, and at most 60000000 pixels are allowed$/,
    ],
    [
      'a page longer than its format supports',
      { full_page: true, format: 'webp', window_width: 10, resize_width: 10, html: 20_000 },
      /^The picture would be 10 x 20000 pixels, and a webp has at most 16383 pixels a side$/,
    ],
    [
      'a box with more pixels than avif supports',
      { format: 'avif', ...box(7680, 7680, 'contain') },
      /^The picture would be 7680 x 7680 pixels, and an avif has at most 35651584 pixels$/,
    ],
    [
      'an avif with more pixels than it supports',
      { format: 'avif', window_width: 7680, window_height: 4700 },
      /^The picture would be 7680 x 4700 pixels, and an avif has at most 35651584 pixels$/,
    ],
  ])('is refused if it would be %s', async (_name, { html, ...fields }, details) => {
    const answer = await capture(service.url, { html_content: stripes(Number(html ?? 1)), ...fields });

    expect(readError(answer)).toMatchObject({
      status: 400,
      error_type: 'ResultTooLargeError',
      error_details: expect.stringMatching(details),
    });
  });

  it('has no effect on a document', async () => {
    const answer = await captureOf('/plain', { format: 'pdf', resize_width: 10 });

    expect(answer.status).toBe(200);
    expect(answer.headers.has('x-image-width')).toBe(false);
  });
});

/** Alternating red and blue stripes of 500 px. */
function stripes(height: number): string {
  const colours = '#f00 0 500px,#00f 500px 1000px';
  return `<body style="margin:0"><div style="height:${height}px;background:repeating-linear-gradient(${colours})">`;
}

async function hasLibrary({ pid }: RunningService): Promise<boolean> {
  return (await readFile(`/proc/${pid}/maps`, 'utf8')).includes('libvips');
}
