import { beforeAll, describe, expect, it } from 'vitest';
import { invalid, readError } from '../../support/errors.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const GREEN = [0, 160, 0] as const;
const BLUE = [0, 0, 208] as const;
/** Two cards in the window, one that is hidden, and one far below, under a bar that stays in the window. */
const PAGE = `<!doctype html><style>body { margin: 0 } .card { width: 60px; height: 40px; margin: 20px; background: rgb(${GREEN.join()}) }</style>
  <div style="position:fixed;top:0;left:0;right:0;height:30px;background:red"></div>
  <div class="card"></div><div class="card" style="background:rgb(${BLUE.join()});height:50px"></div><div class="card" hidden></div>
  <div style="height:2000px"></div><div class="card"></div>`;
const WINDOW = { window_width: 300, window_height: 200 } as const;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const take = (fields: object): Promise<CaptureAnswer> =>
  capture(service.url, { html_content: PAGE, ...WINDOW, selector: '.card', selector_each: true, ...fields });

describe('selector_each', () => {
  it('returns a picture for each visible match, with its place, and without what lies in front of it', async () => {
    const answer = await take({});

    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const { elements, file, warnings } = JSON.parse(answer.body.toString());
    expect(warnings).toEqual([]);
    expect(file).not.toHaveProperty('base64');
    expect(elements).toMatchObject([
      { x: 20, y: 20, width: 60, height: 40, content_type: 'image/png' },
      { x: 20, y: 80, width: 60, height: 50 },
      { x: 20, y: 2170, width: 60, height: 40 },
    ]);
    for (const [index, colour] of [GREEN, BLUE, GREEN].entries()) {
      const { base64, width, height, bytes } = elements[index];
      const body = Buffer.from(base64, 'base64');
      const picture = await readPicture(body);
      expect([picture.width, picture.height, body.length]).toEqual([width, height, bytes]);
      expectColour(picture, 5, 5, colour);
    }
  });

  it.each([
    ['webp', { format: 'webp' }, [60, 40]],
    ['a resized picture', { resize_width: 30 }, [30, 20]],
    ['padding', { selector_padding: 10 }, [80, 60]],
    ['1 bit', { color: 'mono' }, [60, 40]],
  ])('works with the other fields of pictures: %s', async (_what, fields, size) => {
    const { elements } = JSON.parse((await take(fields)).body.toString());

    expect(elements).toHaveLength(3);
    const { width, height } = await readPicture(Buffer.from(elements[0].base64, 'base64'));
    expect([width, height]).toEqual(size);
  });

  it('has parts of the page beside the pictures', async () => {
    const { elements, links } = JSON.parse((await take({ include: ['links'] })).body.toString());

    expect([elements.length, links]).toEqual([3, { entries: [] }]);
  });

  it('is cut at 50 pictures, with a warning', async () => {
    const answer = await take({ html_content: PAGE.repeat(17) });

    expect(answer.headers.get('x-capture-warnings')).toContain('elements_left_out');
    expect(JSON.parse(answer.body.toString()).elements).toHaveLength(50);
  });

  it('is cached like a file', async () => {
    const [first, second] = [
      await take({ cache_ttl: 60, window_height: 201 }),
      await take({ cache_ttl: 60, window_height: 201 }),
    ];

    expect([first.headers.get('x-cache'), second.headers.get('x-cache')]).toEqual(['MISS', 'HIT']);
    expect(JSON.parse(second.body.toString()).elements).toEqual(JSON.parse(first.body.toString()).elements);
  });

  it.each([
    [{ selector: undefined }, 'selector_each: needs selector, and the format of a picture'],
    [{ format: 'pdf' }, 'selector_each: needs selector, and the format of a picture'],
    [{ selector_all: true }, "selector_each: can't be combined with selector_all, which makes one picture"],
    [
      { response_type: 'file' },
      "selector_each: can't be combined with response_type file, because the answer has several pictures",
    ],
    [
      { store: true, store_path: 'a.png' },
      "selector_each: can't be combined with store_path, because each picture is stored as a file of its own",
    ],
  ])('refuses %j', async (fields, details) => {
    const answer = await take(fields);

    expect(readError(answer)).toEqual(invalid(details));
  });

  it('refuses a selector without a visible match', async () => {
    expect(readError(await take({ selector: '.none' }))).toMatchObject({ error_type: 'ElementNotFoundError' });
  });

  it('refuses pictures that together have too many pixels', async () => {
    const html_content = '<div class="card" style="width:7000px;height:7000px"></div>'.repeat(10);

    expect(readError(await take({ html_content }))).toMatchObject({ error_type: 'ResultTooLargeError' });
  });
});
