import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { BROKEN_DOCUMENTS, brokenRoutes } from '../../support/pages/broken.ts';
import { readPdf } from '../../support/pdf.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

type Fields = Readonly<Record<string, unknown>>;

const PARTS = ['metadata', 'html', 'markdown', 'links', 'console', 'network', 'accessibility'];

/** Every format, with the options whose code reads the document. */
const WAYS: Readonly<Record<string, Fields>> = {
  'whole page': {
    full_page: true,
    custom_css: 'p { color: red }',
    block_cookie_banners: true,
    actions: [{ type: 'scroll', to: 'bottom' }],
  },
  'window, resized': { format: 'webp', resize_width: 50 },
  'json parts': { response_type: 'json', include: PARTS, full_page: true, run_ahead: 500 },
  'pdf with header': { format: 'pdf', pdf_header_html: '<b>header</b>', pdf_title: 'Title' },
  'pdf on one sheet': { format: 'pdf', pdf_single_page: true },
  'mhtml with rules': { format: 'mhtml', custom_css: 'p { color: red }' },
  html: { format: 'html' },
  'main content': { format: 'markdown', main_content: true },
};

describe('a document that lacks the elements that page code expects', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes: brokenRoutes() }),
      startService({ POOL_SIZE: '3' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const captureOf = (kind: string, fields: Fields): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(`/broken/${kind}`), ...fields });
  const outcomeOf = async (kind: string, fields: Fields): Promise<unknown> => {
    const answer = await captureOf(kind, fields);
    return answer.status === 200 ? 200 : answer.json();
  };

  it.each(Object.keys(BROKEN_DOCUMENTS))('%s: is captured in every format', async (kind) => {
    const outcomes = await Promise.all(
      Object.entries(WAYS).map(async ([way, fields]) => [way, await outcomeOf(kind, fields)] as const),
    );

    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(Object.keys(WAYS).map((way) => [way, 200])));
  });

  it('is a blank picture, one blank sheet and empty markup without a root element', async () => {
    const [picture, pdf, html, markdown] = await Promise.all([
      captureOf('root-removed', { full_page: true, window_width: 100, window_height: 80 }),
      captureOf('root-removed', { format: 'pdf' }),
      captureOf('root-removed', { format: 'html' }),
      captureOf('root-removed', { format: 'markdown' }),
    ]);

    const { width, height, rgba } = await readPicture(picture.body);
    expect({ width, height }).toEqual({ width: 100, height: 80 });
    expect(new Set(rgba)).toEqual(new Set([255]));
    expect((await readPdf(pdf.body)).pages).toHaveLength(1);
    expect(html.body.toString().trim()).toBe('<!DOCTYPE html>');
    expect(markdown.body.toString().trim()).toBe('');
  });

  it('has no element to select without a root element: the error names the field', async () => {
    const answer = await captureOf('root-removed', { selector: ':root' });

    expect(answer.json()).toMatchObject({
      status: 'error',
      error_type: 'ElementNotFoundError',
      error_details: expect.stringContaining('selector'),
    });
  });

  it('is captured as supplied markup, too', async () => {
    const script = 'onload = () => document.documentElement.remove()';
    const answers = await Promise.all(
      ['png', 'pdf', 'mhtml', 'markdown'].map((format) =>
        capture(service.url, { html_content: `<p>text<script>${script}</script>`, format, full_page: true }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
