import { describe, expect, it } from 'vitest';
import { type Bitmap, ignore, type Box } from '../../../src/parts/compare/pictures/bitmap.ts';
import { compareBitmaps } from '../../../src/parts/compare/pictures/compare-bitmaps.ts';
import type { Difference } from '../../../src/parts/compare/pictures/compare-rows.ts';

type Colour = readonly [red: number, green: number, blue: number];
const WHITE: Colour = [255, 255, 255];
const RED: Colour = [255, 0, 0];
const GREY: Colour = [120, 120, 120];

/** A page of lines that all differ, as text does, with boxes on it. */
function picture(
  boxes: readonly (readonly [Box, Colour])[] = [],
  { width = 300, height = 400, hasLines = true } = {},
): Bitmap {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const paint = ({ x, y, width: wide, height: high }: Box, colour: Colour): void => {
    for (let row = y; row < Math.min(height, y + high); row++)
      for (let column = x; column < x + wide; column++) pixels.set(colour, (row * width + column) * 4);
  };
  const lines = hasLines ? Math.ceil((height - 10) / 20) : 0;
  for (let line = 0; line < lines; line++) paint({ x: 10, y: line * 20 + 5, width: 20 + line * 7, height: 8 }, GREY);
  for (const [box, colour] of boxes) paint(box, colour);
  return { width, height, pixels };
}

/** Puts rows of one colour into a picture. */
function withBanner({ width, height, pixels }: Bitmap, at: number, rows: number, colour: Colour = RED): Bitmap {
  const banner = new Uint8Array(width * rows * 4).fill(255);
  for (let index = 0; index < width * rows; index++) banner.set(colour, index * 4);
  const cut = at * width * 4;
  return {
    width,
    height: height + rows,
    pixels: Buffer.concat([pixels.subarray(0, cut), banner, pixels.subarray(cut)]),
  };
}

const compare = (
  before: Bitmap,
  after: Bitmap,
  rules: Partial<Parameters<typeof compareBitmaps>[2]> = {},
): Difference => compareBitmaps(before, after, { threshold: 0.01, align: 'rows', ...rules });
const EMPTY = { hasLines: false };
const BOX = { x: 200, y: 100, width: 40, height: 30 };

/** A box of two colours. */
const badge = (box: Box): Bitmap =>
  picture([
    [box, RED],
    [{ ...box, width: 10, height: 10 }, GREY],
  ]);

const ofInk = (ink: number): Colour => [255 - 200 * ink, 255 - 200 * ink, 255 - 200 * ink];
/** A stroke of two columns that lies by a part of a pixel farther right. */
const stroke = (by: number): Bitmap =>
  picture([1 - by, 1, by].map((ink, index) => [{ x: 200 + index, y: 100, width: 1, height: 20 }, ofInk(ink)] as const));

/** Lines of these lengths below a space, and a footer. */
const list = (lengths: readonly number[], { space = 40, bar = 0 } = {}): Bitmap => {
  const lines = lengths.map((width, index) => ({ x: 10, y: space + index * 20 + 5, width, height: 8 }));
  const boxes = [...lines, { x: 10, y: 370, width: 120, height: 8 }, { x: 0, y: 20, width: 300, height: bar }];
  return picture(
    boxes.map((box) => [box, GREY] as const),
    EMPTY,
  );
};
const kinds = ({ regions }: Difference): readonly unknown[] => regions.map(({ kind, y, height }) => [kind, y, height]);

/** Joins pictures, of 420 rows together, from top to bottom. */
const joined = (...parts: readonly Bitmap[]): Bitmap => ({
  width: 300,
  height: 420,
  pixels: Buffer.concat(parts.map(({ pixels }) => pixels)),
});

describe('the comparison of two pictures', () => {
  it('finds nothing in equal pictures', () => {
    expect(compare(picture(), picture())).toEqual({ pixels: 0, regions: [] });
  });

  it('finds a changed box at its place, and counts its pixels', () => {
    const found = compare(picture(), picture([[BOX, RED]]));

    expect(found.pixels).toBe(1_200);
    expect(found.regions).toEqual([{ ...BOX, kind: 'changed', offset: 0 }]);
  });

  it.each([0, 8, 60, 128, 200, 247].flatMap((from) => [0, 1, 2].map((channel) => [from, channel] as const)))(
    'finds a flat colour that is 8 steps off: %i in channel %i',
    (from, channel) => {
      const colours = [0, 8].map((step): Colour => {
        const [red, green, blue] = [0, 1, 2].map((each) => (each === channel ? Math.min(255, from + step) : from));
        return [red ?? 0, green ?? 0, blue ?? 0];
      });

      const [before, after] = colours.map((colour) => picture([[BOX, colour]]));

      expect(before && after && compare(before, after).regions).toHaveLength(1);
    },
  );

  it('does not count what the threshold allows', () => {
    const [before, after] = [picture([[BOX, [200, 200, 200]]]), picture([[BOX, [204, 204, 204]]])];

    expect(compare(before, after, { threshold: 0.5 }).pixels).toBe(0);
    expect(compare(before, after, { threshold: 0 }).pixels).toBe(1_200);
  });

  it.each([0, 100, 400])('shows a banner of 40 rows at row %i as one added region, and nothing that slid', (at) => {
    const found = compare(picture(), withBanner(picture(), at, 40));

    expect(found.regions).toMatchObject([{ x: 0, width: 300, height: 40, kind: 'added' }]);
    expect(found.pixels).toBe(300 * 40);
  });

  it('shows a removed banner at its place before', () => {
    const found = compare(withBanner(picture(), 100, 40), picture());

    expect(found.regions).toMatchObject([{ y: 100, height: 40, kind: 'removed' }]);
  });

  it('leaves out what a banner pushed out of a window, and what came into it', () => {
    const whole = withBanner(picture(), 0, 40);
    const cut = { ...whole, height: 400, pixels: whole.pixels.subarray(0, 300 * 400 * 4) };

    expect(compare(picture(), cut).regions).toMatchObject([{ y: 0, height: 40, kind: 'added' }]);
    expect(compare(cut, picture()).regions).toMatchObject([{ y: 0, height: 40, kind: 'removed' }]);
  });

  it('leaves out rows of a plain picture that is cut off by the window after a banner', () => {
    const player = [{ x: 0, y: 150, width: 300, height: 250 }, GREY] as const;
    const page = picture([player]);
    const later = withBanner(picture([player]), 0, 40);
    const found = compare(page, { ...later, height: 400, pixels: later.pixels.subarray(0, 300 * 400 * 4) });

    expect(found.regions).toEqual([expect.objectContaining({ y: 0, height: 40, kind: 'added' })]);
  });

  it('leaves out empty rows at the bottom that a banner used up', () => {
    const short = withBanner(picture(), 400, 100, WHITE);
    const pushed = withBanner(withBanner(picture(), 0, 60), 460, 70, WHITE);

    expect(compare(short, pushed).regions).toMatchObject([{ height: 60, kind: 'added' }]);
  });

  it('finds rows that are missing at the end', () => {
    expect(compare(withBanner(picture(), 400, 40), picture()).regions).toMatchObject([
      { y: 400, height: 40, kind: 'removed' },
    ]);
  });

  it('finds a change below a banner', () => {
    const found = compare(picture(), withBanner(picture([[BOX, RED]]), 0, 40, WHITE));

    expect(found.regions).toContainEqual({ ...BOX, y: 140, kind: 'changed', offset: -40 });
  });

  it('joins what is within 8 px, and nothing else', () => {
    const [near, far] = [
      { ...BOX, x: BOX.x + 47 },
      { ...BOX, y: BOX.y + 39 },
    ];
    const found = compare(
      picture(),
      picture([
        [BOX, RED],
        [{ ...near, width: 10 }, RED],
        [far, RED],
      ]),
    );

    expect(found.regions.map(({ x, y, width, height }) => [x, y, width, height])).toEqual([
      [200, 100, 57, 30],
      [200, 139, 40, 30],
    ]);
  });

  it.each([
    [2, 0],
    [0, 2],
    [-12, 0],
    [0, 40],
  ])('shows a box that moved by %i, %i as moved', (dx, dy) => {
    const moved = { ...BOX, x: BOX.x + dx, y: BOX.y + dy };

    const { regions } = compare(badge(BOX), badge(moved), { align: 'none' });

    expect(regions.map(({ kind }) => kind)).toEqual(['moved']);
  });

  it.each([
    ['vanished', [BOX], []],
    ['has another colour', [BOX], [BOX], GREY],
    ['vanished, although the same is elsewhere', [BOX, { ...BOX, y: 160 }], [{ ...BOX, y: 160 }]],
  ] as const)('shows a box that %s as changed, not as moved', (_what, before, after, colour = RED) => {
    const { regions } = compare(
      picture(before.map((box) => [box, RED] as const)),
      picture(after.map((box) => [box, colour] as const)),
    );

    expect(regions).toMatchObject([{ ...BOX, kind: 'changed' }]);
  });

  it('finds a point that became a comma, and a light of 4 by 4 pixels, below a banner', () => {
    const ink: Colour = [60, 60, 60];
    const point = { x: 200, y: 300, width: 2, height: 2 };
    const light = { x: 250, y: 330, width: 4, height: 4 };
    const before = picture([
      [point, ink],
      [light, RED],
    ]);
    const after = picture([
      [{ ...point, height: 4 }, ink],
      [light, GREY],
    ]);

    const { regions } = compare(before, withBanner(after, 0, 40));

    expect(regions).toMatchObject([
      { y: 342, x: 200, kind: 'changed' },
      { y: 370, x: 250, kind: 'changed' },
      { y: 0, height: 40, kind: 'added' },
    ]);
  });

  it.each([0.25, 0.33, 0.5])('takes edges that slid by %f of a pixel for equal', (share) => {
    expect(compare(stroke(0.1), stroke(0.1 + share)).regions).toEqual([]);
    expect(compare(stroke(0), stroke(1)).regions).toHaveLength(1);
  });

  it.each([
    [
      'a line that moved far away',
      [{ x: 0, y: 317, width: 300, height: 1 }],
      [{ x: 0, y: 357, width: 300, height: 1 }],
      RED,
    ],
    [
      'stripes that changed places',
      [{ x: 0, y: 300, width: 300, height: 10 }],
      [{ x: 0, y: 310, width: 300, height: 10 }],
      [249, 249, 249],
    ],
  ] as const)('finds %s', (_what, before, after, colour) => {
    const found = compare(
      picture(before.map((box) => [box, colour] as const)),
      picture(after.map((box) => [box, colour] as const)),
    );

    expect(found.regions).not.toEqual([]);
  });

  it('finds a banner of which only a part is left out', () => {
    const after = withBanner(picture(), 0, 40);
    ignore(after, [{ x: 10, y: 10, width: 50, height: 12 }]);

    expect(compare(picture(), after).regions).toMatchObject([{ x: 0, y: 0, width: 300, height: 40, kind: 'added' }]);
  });

  it('finds an end that was removed from whole pages, although a banner of its height was added', () => {
    const footer = { x: 0, y: 340, width: 300, height: 60 };
    const before = picture([[footer, GREY]]);
    const banner = withBanner(picture(), 0, 60);
    const after = { ...banner, height: 400, pixels: banner.pixels.subarray(0, 400 * 1_200) };

    expect(compare(before, after, { areWhole: true }).regions.map(({ kind }) => kind)).toContain('removed');
  });

  describe('of lists above a footer', () => {
    const LINES = [30, 90, 50, 140, 110, 70];
    it('a line that was appended is found, although the first was removed', () => {
      expect(kinds(compare(list(LINES), list([...LINES.slice(1), 200])))).toEqual([
        ['removed', 45, 8],
        ['added', 145, 8],
      ]);
    });

    it('a line that was appended is found, although an ignored element has shrunk as much', () => {
      const [before, after] = [list(LINES, { space: 60 }), list([...LINES, 200])];
      ignore(before, [{ x: 10, y: 20, width: 150, height: 40 }]);
      ignore(after, [{ x: 10, y: 20, width: 150, height: 20 }]);

      expect(kinds(compare(before, after))).toEqual([['added', 165, 8]]);
    });

    it('a bar of the colour of the next one is found beside an ignored box', () => {
      const [before, after] = [list(LINES, { bar: 20 }), list(LINES, { space: 60, bar: 40 })];
      for (const each of [before, after]) ignore(each, [{ x: 33, y: 42, width: 300, height: 5 }]);

      expect(compare(before, after).regions).not.toEqual([]);
    });

    it('a space of two pixels is found, and of one pixel at the density 2 is not', () => {
      const after = list(LINES, { space: 42 });

      expect(compare(list(LINES), after).regions).toHaveLength(1);
      expect(compare(list(LINES), after, { density: 2 }).regions).toEqual([]);
    });
  });

  it.each([
    [[RED, GREY], ['moved']],
    [
      [GREY, RED],
      ['removed', 'added'],
    ],
  ] as const)('rows that moved to the end are moved only if they kept their order (%#)', (colours, kinds) => {
    const flag = (own: readonly Colour[]): Bitmap =>
      picture(
        own.map((colour, index) => [{ x: 0, y: index * 10, width: 200, height: 10 }, colour] as const),
        { height: 20 },
      );
    const { regions } = compare(joined(flag([RED, GREY]), picture()), joined(picture(), flag(colours)), {
      areWhole: true,
    });

    expect(regions.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('shows a banner above a header that looks through as one region', () => {
    const header = { x: 0, y: 0, width: 300, height: 50 };
    const before = picture([[header, [200, 200, 200]]]);
    const after = withBanner(picture([[header, [205, 190, 200]]]), 0, 60);

    expect(compare(before, after).regions).toMatchObject([{ x: 0, y: 0, width: 300, height: 110, kind: 'changed' }]);
  });

  it('counts no more pixels than the pictures have', () => {
    const [wide, size] = [{ x: 0, y: 0, width: 200, height: 300 }, { height: 300 }];
    const page = picture([], { height: 100 });
    const pages = [
      [picture([[wide, RED]], size), page],
      [page, picture([[wide, GREY]], size)],
    ].map((parts) => ({ ...page, height: 400, pixels: Buffer.concat(parts.map(({ pixels }) => pixels)) }));

    expect(compare(pages[0] ?? page, pages[1] ?? page).pixels).toBeLessThanOrEqual(300 * 400);
  });

  it('shows two boxes that changed places', () => {
    const lower = { ...BOX, y: 300 };
    const boxes = [
      [BOX, RED],
      [{ ...BOX, width: 10, height: 10 }, GREY],
      [lower, GREY],
      [{ ...lower, width: 10, height: 10 }, RED],
    ] as const;
    const swapped = boxes.map(([box, colour]) => [box, colour === RED ? GREY : RED] as const);

    const { regions } = compare(picture(boxes, EMPTY), picture(swapped, EMPTY));

    expect(regions.map(({ y }) => y)).toEqual([100, 300]);
  });

  it('shows content that slid to the side as few regions', () => {
    const page = picture([
      [BOX, RED],
      [{ x: 60, y: 20, width: 30, height: 90 }, GREY],
    ]);
    const pixels = new Uint8Array(page.pixels.length).fill(255);
    for (let row = 0; row < 400; row++)
      pixels.set(page.pixels.subarray(row * 1_200, row * 1_200 + 1_200 - 160), row * 1_200 + 160);

    const { regions } = compare(page, { ...page, pixels });

    expect(regions).toMatchObject([{ width: 40, kind: 'added' }]);
  });

  it('shows rows that changed their order as moved', () => {
    const page = picture([], { height: 1_200 });
    const rows = (from: number, to: number): Uint8Array => page.pixels.subarray(from * 1_200, to * 1_200);
    const swapped = Buffer.concat([rows(0, 400), rows(600, 1_000), rows(400, 600), rows(1_000, 1_200)]);

    const { regions } = compare(page, { ...page, pixels: swapped });

    expect(regions).toMatchObject([{ kind: 'moved' }]);
  });

  it('compares pictures of different sizes place by place, with align: none', () => {
    const found = compare(picture(), picture([], { width: 320, height: 410 }), { align: 'none' });

    expect(found.regions).toEqual([
      { x: 300, y: 0, width: 20, height: 400, kind: 'added', offset: 0 },
      { x: 0, y: 400, width: 320, height: 10, kind: 'added', offset: 0 },
    ]);
  });

  it('leaves out rows that were rounded to other pixels', () => {
    const rounded = withBanner(picture(), 20, 1, WHITE);
    const after = withBanner(picture(), 200, 1, WHITE);

    expect(compare(rounded, after)).toEqual({ pixels: 0, regions: [] });
    expect(compare(picture(), after).regions).toHaveLength(1); // a page that has become taller
  });

  it('leaves out an empty row that a banner has rounded, but not one alone', () => {
    const banner = compare(picture(), withBanner(withBanner(picture(), 100, 1, WHITE), 0, 40));
    const row = compare(picture(), withBanner(picture(), 100, 1, WHITE));

    expect(banner.regions).toEqual([expect.objectContaining({ y: 0, height: 40, kind: 'added' })]);
    expect(row.regions).toEqual([expect.objectContaining({ height: 1, kind: 'added' })]);
  });

  it('leaves out what an ignored box has grown by', () => {
    const [before, after] = [withBanner(picture(), 100, 20), withBanner(picture(), 100, 50)];
    expect(compare(before, after).regions).toMatchObject([{ height: 30, kind: 'added' }]);

    ignore(before, [{ x: 0, y: 100, width: 300, height: 20 }]);
    ignore(after, [{ x: 0, y: 100, width: 300, height: 50 }]);

    expect(compare(before, after).regions).toEqual([]);
  });

  it('leaves out what one of the sides ignores', () => {
    const [before, after] = [picture(), picture([[BOX, RED]])];
    for (const each of [before, after]) ignore(each, [{ x: 190, y: 90, width: 9_000, height: 60 }]);

    expect(compare(before, after).pixels).toBe(0);
  });

  it('takes little time for a long page on which every row changed', () => {
    const size = { width: 1_280, height: 20_000 };
    const noise = (seed: number): Bitmap => {
      const words = new Uint32Array(size.width * size.height);
      for (let index = 0, value = seed; index < words.length; index++) {
        value = Math.imul(value, 1_664_525) + 1_013_904_223;
        words[index] = 0xff000000 | (value >>> 8);
      }
      return { ...size, pixels: new Uint8Array(words.buffer) };
    };
    const startedAt = performance.now();

    const { regions } = compare(noise(1), noise(2));

    expect(regions).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  describe('beside a column that stays in place', () => {
    const WIDTH = 100;
    /** A menu of other lines beside a page. The rest of the higher one is the ground of the menu. */
    const beside = (page: Bitmap, side: 'left' | 'right', boxes: readonly (readonly [Box, Colour])[] = []): Bitmap => {
      const menu = picture(boxes, { width: WIDTH, height: page.height });
      const [left, right] = side === 'left' ? [menu, page] : [page, menu];
      const rows = Array.from({ length: page.height }, (_row, y) =>
        [left, right].map(({ width, pixels }) => pixels.subarray(y * width * 4, (y + 1) * width * 4)),
      );
      return { width: WIDTH + page.width, height: page.height, pixels: Buffer.concat(rows.flat()) };
    };
    const MENU = [[{ x: 0, y: 220, width: WIDTH, height: 900 }, GREY]] as const; // its lines end here

    it.each(['left', 'right'] as const)('a banner is one region, in its own columns: menu %s', (side) => {
      const found = compare(
        beside(picture([], { width: 200 }), side, MENU),
        beside(withBanner(picture([], { width: 200 }), 14, 40), side, MENU),
      );

      const x = side === 'left' ? WIDTH : 0;
      expect(found).toEqual({
        pixels: 200 * 40,
        regions: [{ x, y: 14, width: 200, height: 40, kind: 'added', offset: 0 }],
      });
    });

    it('a banner is one region in windows of one height, and a changed box keeps its place before', () => {
      const page = picture([[{ x: 20, y: 200, width: 20, height: 20 }, GREY]], { width: 200, height: 600 });
      const changed = picture([[{ x: 20, y: 200, width: 20, height: 20 }, RED]], { width: 200, height: 600 });
      const higher = withBanner(changed, 14, 40);
      const found = compare(
        beside(page, 'left', MENU),
        beside({ ...higher, height: 600, pixels: higher.pixels.subarray(0, 200 * 600 * 4) }, 'left', MENU),
      );

      expect(found.regions).toEqual([
        { x: WIDTH + 20, y: 240, width: 20, height: 20, kind: 'changed', offset: -40 },
        expect.objectContaining({ x: WIDTH, y: 14, height: 40, kind: 'added' }),
      ]);
    });

    it('a changed picture beside it is one region', () => {
      const box = { x: 20, y: 40, width: 150, height: 200 };
      const found = compare(
        beside(picture([[box, GREY]], { width: 200 }), 'left'),
        beside(picture([[box, RED]], { width: 200 }), 'left'),
      );

      expect(found.regions).toEqual([{ ...box, x: WIDTH + 20, kind: 'changed', offset: 0 }]);
    });

    it('an ignored box is left out', () => {
      const pages = [picture([], { width: 200 }), withBanner(picture([], { width: 200 }), 14, 40)] as const;
      const after = beside(pages[1], 'left', MENU);
      ignore(after, [{ x: WIDTH, y: 14, width: 200, height: 40 }]);

      const found = compare(beside(pages[0], 'left', MENU), after);

      expect(found).toEqual({ pixels: 0, regions: [] });
    });

    it('empty rows between two lines are found', () => {
      const found = compare(
        beside(picture([], { width: 200 }), 'left', MENU),
        beside(withBanner(picture([], { width: 200 }), 214, 30, WHITE), 'left', MENU),
      );

      expect(found.regions).not.toEqual([]);
    });
  });
});
