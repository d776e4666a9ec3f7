import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { DOCUMENT_PAGE } from '../../support/pages/document.ts';
import { STATUS_PAGE } from '../../support/pages/answers.ts';
import { COLOURS_PAGE, DPR_PAGE } from '../../support/pages/plain.ts';
import { readPdf } from '../../support/pdf.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const PICTURES = ['png', 'jpeg', 'webp', 'avif'] as const;
const LOSSY_TOLERANCE = 12;

describe('POST /capture', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });

  it.each([
    ['png', 'image/png', 'png'],
    ['jpeg', 'image/jpeg', 'jpeg'],
    ['webp', 'image/webp', 'webp'],
    ['avif', 'image/avif', 'avif'],
    ['pdf', 'application/pdf', 'pdf'],
    ['html', 'text/html; charset=utf-8', 'html'],
    ['markdown', 'text/markdown; charset=utf-8', 'md'],
    ['mhtml', 'multipart/related', 'mhtml'],
  ])('sends %s as %s', async (format, contentType, extension) => {
    const answer = await captureOf('/colours', { format, main_content: false });

    expect(answer.status).toBe(200);
    expect(answer.headers.has('content-security-policy')).toBe(format === 'html' || format === 'mhtml');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': contentType,
      'content-disposition': `attachment; filename=screenshot.${extension}`,
      'content-length': `${answer.body.length}`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-target-status': '200',
      'x-target-url': site.url('/colours'),
      'server-timing': expect.stringMatching(
        /^queue;dur=[\d.]+, navigate;dur=[\d.]+, ahead;dur=[\d.]+, wait;dur=[\d.]+, render;dur=[\d.]+$/,
      ),
    });
    expect(answer.headers.has('x-capture-warnings')).toBe(false);
    expect(answer.headers.has('x-image-width')).toBe(contentType.startsWith('image/'));
  });

  it('returns a png of 1280 x 720 by default', async () => {
    const answer = await captureOf('/colours');

    const { format, width, height } = await readPicture(answer.body);
    expect({ format, width, height }).toEqual({ format: 'png', width: 1280, height: 720 });
  });

  it.each(
    PICTURES.flatMap((format) =>
      (
        [
          [1280, 720, 1],
          [800, 600, 2],
          [201, 333, 1.5],
          [640, 480, 0.5],
        ] as const
      ).map(([width, height, density]) => ({ format, width, height, density })),
    ),
  )('renders $format at $width x $height, density $density', async ({ format, width, height, density }) => {
    const answer = await captureOf('/colours', {
      format,
      window_width: width,
      window_height: height,
      pixel_density: density,
    });

    const picture = await readPicture(answer.body);
    expect(picture.format).toBe(format);
    expect(Math.abs(picture.width - width * density)).toBeLessThan(1);
    expect(Math.abs(picture.height - height * density)).toBeLessThan(1);
    expect(answer.headers.get('x-image-width')).toBe(`${picture.width}`);
    expect(answer.headers.get('x-image-height')).toBe(`${picture.height}`);
    const tolerance = format === 'png' ? 2 : LOSSY_TOLERANCE;
    for (const { x, y, colour } of Object.values(COLOURS_PAGE)) {
      for (const [dx, dy] of [
        [6, 6],
        [50, 50],
        [93, 93],
      ] as const) {
        expectColour(picture, Math.floor((x + dx) * density), Math.floor((y + dy) * density), colour, tolerance);
      }
    }
    expectColour(picture, picture.width - 1, picture.height - 1, [255, 255, 255], tolerance);
  });

  it('draws edges exactly where the page has them', async () => {
    const picture = await readPicture((await captureOf('/colours', { pixel_density: 2 })).body);

    const { red, green, blue } = COLOURS_PAGE;
    expect(picture.pixel(199, 0)).toEqual([...red.colour, 255]);
    expect(picture.pixel(200, 0)).toEqual([...green.colour, 255]);
    expect(picture.pixel(0, 199)).toEqual([...red.colour, 255]);
    expect(picture.pixel(0, 200)).toEqual([...blue.colour, 255]);
  });

  it('reports the density to the page and draws lines of one CSS pixel', async () => {
    const fields = { window_width: 300, window_height: 250, pixel_density: 3 };

    const [source, shot] = await Promise.all([
      captureOf('/dpr', { ...fields, format: 'html' }),
      captureOf('/dpr', fields),
    ]);

    expect(source.body.toString()).toContain('data-dpr="3" data-width="300" data-height="250"');
    const picture = await readPicture(shot.body);
    const rows = [0, 1, 2, 3, 4, 5].map((x) => picture.pixel(DPR_PAGE.x + x, (DPR_PAGE.y + 50) * 3)[0]);
    expect(rows).toEqual([0, 0, 0, 255, 255, 255]);
  });

  it.each(['jpeg', 'webp', 'avif'])('returns a smaller %s for lower quality', async (format) => {
    const sizes = await Promise.all(
      [10, 90].map(async (image_quality) => {
        const answer = await captureOf('/photographs', { format, image_quality });
        expect((await readPicture(answer.body)).format).toBe(format);
        return answer.body.length;
      }),
    );

    const [low = 0, high = 0] = sizes;
    expect(low).toBeLessThan(high / 2);
  });

  it('sends the html of the current DOM with a sandbox header', async () => {
    const answer = await captureOf('/late-element', { format: 'html', wait_for_selector: '#late' });

    const source = answer.body.toString();
    expect(answer.headers.get('content-security-policy')).toBe('sandbox');
    expect(source).toMatch(/^<!doctype html>\s*<html lang="en">/i);
    expect(source).toContain('id="late"');
  });

  it('prints selectable text over as many pages as needed', async () => {
    const pdf = await readPdf((await captureOf('/document', { format: 'pdf' })).body);

    const text = pdf.pages.map((page) => page.text).join(' ');
    expect(pdf.pages.length).toBeGreaterThan(1);
    expect(pdf.links).toContain(DOCUMENT_PAGE.link);
    for (const word of [DOCUMENT_PAGE.heading, ...DOCUMENT_PAGE.words, 'Row 1', `Row ${DOCUMENT_PAGE.rows}`]) {
      expect(text).toContain(word);
    }
  });

  it('prints backgrounds with pdf_print_background, which makes a larger file', async () => {
    const [withBackground, without] = await Promise.all(
      [true, false].map(
        async (pdf_print_background) =>
          (await captureOf('/colours', { format: 'pdf', pdf_print_background })).body.length,
      ),
    );

    expect(withBackground).toBeGreaterThan(without ?? Infinity);
  });

  // Sizes in points; ISO 216 defines millimetres, the others inches.
  it.each([
    ['A0', 2383.94, 3370.39],
    ['A1', 1683.78, 2383.94],
    ['A2', 1190.55, 1683.78],
    ['A3', 841.89, 1190.55],
    ['A4', 595.28, 841.89],
    ['A5', 419.53, 595.28],
    ['A6', 297.64, 419.53],
    ['Letter', 612, 792],
    ['Legal', 612, 1008],
    ['Tabloid', 792, 1224],
    ['Ledger', 1224, 792],
    ['lETTER', 612, 792],
    ['a5', 419.53, 595.28],
  ])('prints on %s', async (pdf_format, widthPt, heightPt) => {
    const answer = await captureOf('/plain', { format: 'pdf', pdf_format });

    const [page] = (await readPdf(answer.body)).pages;
    expect(Math.abs((page?.widthPt ?? 0) - widthPt)).toBeLessThanOrEqual(1);
    expect(Math.abs((page?.heightPt ?? 0) - heightPt)).toBeLessThanOrEqual(1);
  });

  it('renders markup without a URL', async () => {
    const answer = await capture(service.url, {
      html_content: '<body style="margin:0;background:#00f"><script>document.title = location.href</script>',
    });

    expectColour(await readPicture(answer.body), 640, 360, [0, 0, 255]);
    expect(answer.headers.has('x-target-url')).toBe(false);
    expect(answer.headers.has('x-target-status')).toBe(false);
  });

  it.each([
    [404, STATUS_PAGE[404]],
    [500, STATUS_PAGE[500]],
  ])('captures a page that answers %i like any other', async (status, colour) => {
    const answer = await captureOf(`/status/${status}`);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-target-status')).toBe(`${status}`);
    expectColour(await readPicture(answer.body), 100, 100, colour);
  });

  it('reports the final URL after redirects', async () => {
    const answer = await captureOf('/redirect/3');

    expect(answer.headers.get('x-target-url')).toBe(site.url('/colours'));
    expectColour(await readPicture(answer.body), 50, 50, COLOURS_PAGE.red.colour);
  });

  it('accepts the same fields in the query of a GET', async () => {
    const query = new URLSearchParams({
      url: site.url('/tall'),
      format: 'webp',
      full_page: '1',
      window_width: '400',
      pixel_density: '0.5',
    });

    const response = await fetch(`${service.url}/capture?${query.toString()}`);

    expect(response.status).toBe(200);
    const { format, width, height } = await readPicture(Buffer.from(await response.arrayBuffer()));
    expect({ format, width, height }).toEqual({ format: 'webp', width: 640, height: 1500 });
  });
});
