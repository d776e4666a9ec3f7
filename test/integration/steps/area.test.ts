import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Colour } from '../../support/colour.ts';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { ELEMENT_PAGE } from '../../support/pages/elements.ts';
import { LAZY_PAGE, TALL_PAGE } from '../../support/pages/scrolling.ts';
import { readPdf } from '../../support/pdf.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WHITE: Colour = [255, 255, 255];

describe('the area of a capture', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });
  const pictureOf = async (path: string, fields: Readonly<Record<string, unknown>>): Promise<Picture> =>
    readPicture((await captureOf(path, fields)).body);

  it('is the viewport by default', async () => {
    const { width, height } = await pictureOf('/tall', { window_width: 640, window_height: 480 });

    expect([width, height]).toEqual([640, 480]);
  });

  // Viewports with a fractional number of device pixels take another code path in the browser.
  it.each([1, 1.5])('is the viewport at the fragment of the URL, at density %d', async (density) => {
    const picture = await pictureOf('/element#far', {
      window_width: 401,
      window_height: 333,
      pixel_density: density,
    });

    // The page ends 80 pixels below the element, so the viewport ends there, too.
    const { x, height, colour } = ELEMENT_PAGE.far;
    const bottom = 333 - (ELEMENT_PAGE.height - ELEMENT_PAGE.far.y - height);
    const pixelAt = (cssX: number, cssY: number): readonly number[] =>
      picture.pixel(Math.floor(cssX * density), Math.floor(cssY * density));
    expect(pixelAt(x + 10, bottom - 4)).toEqual([...colour, 255]);
    expect(pixelAt(x + 10, bottom + 4)).toEqual([...WHITE, 255]);
    expect(picture.pixel(picture.width - 1, picture.height - 1)).toEqual([...WHITE, 255]);
  });

  // Chrome never returns an empty picture.
  it.each([
    { window_width: 3, window_height: 3 },
    { clip: { x: 10, y: 10, width: 2, height: 2 } },
    { clip: { x: 0, y: 0, width: 400, height: 2 }, resize_width: 20 },
  ])('is at least one pixel for %j at density 0.1', async (fields) => {
    const picture = await pictureOf('/colours', { ...fields, pixel_density: 0.1 });

    expect(picture.height).toBe(1);
  });

  it.each([1, 2])('is the whole of a tall page, at density %d', async (density) => {
    const picture = await pictureOf('/tall', { full_page: true, pixel_density: density });

    expect([picture.width, picture.height]).toEqual([TALL_PAGE.width * density, TALL_PAGE.height * density]);
    for (const { x, y, height, colour } of [...TALL_PAGE.bands, TALL_PAGE.end]) {
      expectColour(picture, x + 5, y * density, colour);
      expectColour(picture, picture.width - 5, (y + height) * density - 1, colour);
    }
    expectColour(picture, 5, 300 * density, WHITE);
  });

  it('is at least the viewport if the full page is smaller', async () => {
    const picture = await pictureOf('/colours', { full_page: true, window_width: 500, window_height: 900 });

    expect([picture.width, picture.height]).toEqual([500, 900]);
  });

  it('includes pictures that load when scrolled near', async () => {
    const picture = await pictureOf('/lazy', { full_page: true });

    expect(picture.height).toBe(LAZY_PAGE.height);
    for (const { x, y, colour } of [...LAZY_PAGE.native, ...LAZY_PAGE.observed]) {
      expectColour(picture, x + 200, y + 200, colour);
    }
  });

  it('includes pictures that load when scrolled near, in a PDF', async () => {
    const requestsBefore = site.requests.length;

    const answer = await captureOf('/lazy', { format: 'pdf' });

    const requested = site.requests.slice(requestsBefore).map((request) => request.path);
    expect(requested.filter((path) => path.endsWith('?lazy'))).toHaveLength(LAZY_PAGE.native.length);
    expect(requested.filter((path) => path.endsWith('?observed'))).toHaveLength(LAZY_PAGE.observed.length);
    // Counts the pictures in the PDF: each is an object of its own.
    const images = answer.body.toString('latin1').match(/\/Subtype\s*\/Image/g) ?? [];
    expect(images.length).toBeGreaterThanOrEqual(LAZY_PAGE.native.length + LAZY_PAGE.observed.length);
  });

  const RED = '/pictures/ff0000.png';
  const HIDDEN = `<div id="hidden" style="display: none"></div>`;
  const lazy = (): string => `<img loading="lazy" src="${RED}?hidden">`;
  // Chrome waited 2 s for them. While page time stood still, it waited until the limit of a minute.
  it.each<[which: string, html: string, fields?: Readonly<Record<string, unknown>>]>([
    ['never come into view', `<div style="display: none">${lazy()}</div>`],
    [
      'never come into view of a script',
      `<div style="display: none">${lazy()}</div><script>setTimeout(() => 0)</script>`,
    ],
    ['are below a page without scripts', `<div style="height: 6000px"></div>${lazy()}`],
    ['have several sources', `<div style="height: 6000px"></div><picture><source srcset="${RED}">${lazy()}</picture>`],
    [
      'a timer adds late',
      `${HIDDEN}<script>setTimeout(() => { hidden.innerHTML = '${lazy()}'; }, 5900);</script>`,
      { delay_capture: 300 },
    ],
    [
      'a script adds for the print',
      `${HIDDEN}<script>setTimeout(() => {}); addEventListener('beforeprint', () => { hidden.innerHTML = '${lazy()}'; });</script>`,
    ],
  ])('does not wait for lazy pictures that %s, in a PDF', async (_which, html, fields = {}) => {
    const answer = await capture(service.url, {
      html_content: `<!doctype html><base href="${site.url('/')}"><body>${html}`,
      format: 'pdf',
      response_type: 'json',
      ...fields,
    });

    expect([answer.status, answer.headers.get('x-capture-warnings')]).toEqual([200, null]);
    const { timings } = z
      .object({ timings: z.object({ render: z.number() }) })
      .parse(JSON.parse(answer.body.toString()));
    expect(timings.render).toBeLessThan(1_500);
  });

  it('has the lazy pictures in the size that they have in place', async () => {
    const requestsBefore = site.requests.length;
    await capture(service.url, {
      html_content: `<!doctype html><base href="${site.url('/')}"><div style="height: 6000px"></div>
        <img loading="lazy" sizes="auto, 100vw" srcset="${RED}?small 300w, ${RED}?large 900w" width="300" height="200">`,
      full_page: true,
      window_width: 900,
    });

    const requested = site.requests.slice(requestsBefore).map(({ path }) => path);
    expect(requested.filter((path) => path.startsWith(RED))).toEqual([`${RED}?small`]);
  });

  it('is one element with fractional edges, rounded to whole pixels', async () => {
    const answer = await captureOf('/element', { selector: '#card' });

    const picture = await readPicture(answer.body);
    expect([picture.width, picture.height]).toEqual([201, 100]);
    expect(answer.headers.get('x-image-width')).toBe('201');
    const { card, cardMark } = ELEMENT_PAGE;
    for (const [x, y] of [
      [1, 1],
      [199, 98],
      [100, 50],
    ] as const)
      expectColour(picture, x, y, card.colour);
    expectColour(picture, cardMark.x + 10, cardMark.y + 10, cardMark.colour);
  });

  it('is one element far below the viewport, at density 2', async () => {
    const picture = await pictureOf('/element', { selector: '#far', pixel_density: 2 });

    const { width, height, colour } = ELEMENT_PAGE.far;
    expect([picture.width, picture.height]).toEqual([width * 2, height * 2]);
    for (const [x, y] of [
      [0, 0],
      [width * 2 - 1, height * 2 - 1],
    ] as const)
      expectColour(picture, x, y, colour);
  });

  it('is the first of several matching elements', async () => {
    const picture = await pictureOf('/element', { selector: '.many' });

    const [first] = ELEMENT_PAGE.many;
    expect([picture.width, picture.height]).toEqual([first?.width, first?.height]);
    expectColour(picture, 30, 20, first?.colour ?? WHITE);
  });

  it('is an element that scripts add, after waiting for it', async () => {
    const picture = await pictureOf('/late-element', { selector: '#late', wait_for_selector: '#late' });

    expect([picture.width, picture.height]).toEqual([120, 80]);
  });

  it('is one element of a page, as html', async () => {
    const answer = await captureOf('/element', { selector: '#card', format: 'html' });

    expect(answer.body.toString()).toMatch(/^<div id="card" .*<\/div><\/div>$/s);
    expect(answer.headers.get('content-security-policy')).toBe('sandbox');
  });

  it('is one element of a page, as pdf', async () => {
    const answer = await captureOf('/document', { selector: 'h2 + p', format: 'pdf' });

    const { pages } = await readPdf(answer.body);
    expect(pages).toHaveLength(1);
    expect(pages[0]?.text).toBe('Next year brings salsify and kohlrabi. Read on');
  });

  it.each(
    ['png', 'pdf', 'html'].flatMap((format) =>
      ['#hidden', '#invisible', '#empty', '#none'].map((selector) => ({ format, selector })),
    ),
  )('is refused as $format if the element is $selector', async ({ format, selector }) => {
    const answer = await captureOf('/element', { selector, format });

    expect(readError(answer)).toEqual({
      status: 400,
      error_type: 'ElementNotFoundError',
      message: 'No visible element matches the selector',
      error_details: `selector: no visible element matches ${selector}`,
    });
  });

  it.each(['selector', 'wait_for_selector'])('is refused if %s is not a valid CSS selector', async (field) => {
    const requestsBefore = site.requests.length;

    const answer = await captureOf('/element', { [field]: 'div[' });

    expect(readError(answer)).toEqual(invalid(`${field}: must be a valid CSS selector`));
    expect(site.requests).toHaveLength(requestsBefore);
  });

  describe('of several elements', () => {
    const html_content =
      '<!doctype html><body style="margin:0;height:3000px"><style>p{position:absolute;margin:0;width:50px;height:20px;background:red}</style><p style="left:100px;top:40px"></p><p style="left:300px;top:2000px"></p><p style="left:10px;top:10px;display:none"></p>';
    const sizeOf = async (fields: object): Promise<readonly number[]> => {
      const { width, height } = await readPicture((await capture(service.url, { html_content, ...fields })).body);
      return [width, height];
    };

    it('contains all that are visible', async () => {
      expect(await sizeOf({ selector: 'p', selector_all: true })).toEqual([250, 1980]);
      expect(await sizeOf({ selector: 'p' })).toEqual([50, 20]);
    });

    it('has the HTML or Markdown of each, without those inside of others', async () => {
      const page = '<p>One <b class="in">bold</b></p><div>Not this</div><p hidden>Never</p><p>Two</p>';
      const fields = { html_content: page, selector: 'p, .in', selector_all: true };
      const textOf = async (more: object): Promise<string> =>
        (await capture(service.url, { ...fields, ...more })).body.toString();
      const parts = JSON.parse(await textOf({ format: 'png', include: ['markdown', 'html'], response_type: 'json' }));

      expect(await textOf({ format: 'html' })).toBe('<p>One <b class="in">bold</b></p>\n<p>Two</p>');
      expect(await textOf({ format: 'markdown', main_content: false })).toBe('One **bold**\n\nTwo\n');
      expect(await textOf({ format: 'markdown', visible_text: true })).toBe('One **bold**\n\nTwo\n');
      expect([parts.markdown.text, parts.html.text]).toEqual([
        'One **bold**\n\nTwo\n',
        '<p>One <b class="in">bold</b></p>\n<p>Two</p>',
      ]);
      expect((await capture(service.url, { ...fields, selector: '.none', format: 'html' })).status).toBe(400);
    });

    it('has room around it, as far as the page reaches', async () => {
      expect(await sizeOf({ selector: 'p', selector_padding: 20 })).toEqual([90, 60]);
      expect(await sizeOf({ selector: 'p', selector_padding: 60 })).toEqual([170, 120]); // 40 px are above it
      expect(await sizeOf({ selector: 'p', selector_all: true, selector_padding: 10 })).toEqual([270, 2000]);
    });

    it.each([
      [{ selector_all: true }, 'selector_all: needs selector, and the format of a picture, html or markdown'],
      [
        { selector_all: true, selector: 'p', format: 'pdf' },
        'selector_all: needs selector, and the format of a picture, html or markdown',
      ],
      [{ selector_padding: 5 }, 'selector_padding: needs selector, and the format of a picture'],
      [{ selector_padding: 501, selector: 'p' }, 'selector_padding: must be a whole number from 0 to 500'],
      [{ selector_padding: -1, selector: 'p' }, 'selector_padding: must be a whole number from 0 to 500'],
    ])('refuses %j', async (fields, details) => {
      expect(readError(await capture(service.url, { html_content, ...fields }))).toEqual(invalid(details));
    });

    it('is an error without a visible match', async () => {
      const answer = await capture(service.url, { html_content, selector: 'i', selector_all: true });

      expect(readError(answer).error_type).toBe('ElementNotFoundError');
    });
  });
});
