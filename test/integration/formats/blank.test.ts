import { beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WINDOW = { window_width: 200, window_height: 100 } as const;
const PART =
  '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60"><rect width="100" height="60" fill="rgb(0,160,0)"/></svg>';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const warningsOf = async (html: string, fields: object = {}): Promise<string | null> =>
  (await capture(service.url, { html_content: html, ...WINDOW, ...fields })).headers.get('x-capture-warnings');

describe('a picture of one colour', () => {
  it.each([
    ['png', '<div id="app"></div><script>throw new Error("not ready")</script>'],
    ['jpeg', '<body style="background:#246"><main hidden>A hidden text</main>'],
    ['webp', '<div id="root"></div><script src="data:text/javascript,"></script>'],
    ['avif', '<div style="height:50px"></div>'],
    ['png', '<main style="opacity:0"><h1>An app that never fades in</h1><img src="data:,"></main>'],
  ])('of a page that shows nothing is told: %s', async (format, html) => {
    expect(await warningsOf(`<!doctype html>${html}`, { format })).toBe('page_blank');
  });

  it('is not told if the page has text, or if the picture shows something', async () => {
    expect(await warningsOf('<p style="color:white">White on white')).toBeNull();
    expect(await warningsOf('<div style="height:100vh;background:red"></div>')).toBeNull();
    expect(await warningsOf('<p>Text', { selector: 'p', format: 'png' })).toBeNull();
  });
});

describe('a mail with parts', () => {
  it.each([
    ['img', '<img src="cid:logo@mail">'],
    ['an escaped id in a style', '<div style="height:60px;background:url(\'cid:logo%40mail\')"></div>'],
  ])('shows those that are named by their ids: %s', async (_where, html) => {
    const files = { 'logo@mail': Buffer.from(PART).toString('base64') };
    const answer = await capture(service.url, { html_content: `<body style="margin:0">${html}`, ...WINDOW, files });

    expect(answer.headers.get('x-capture-warnings')).toBeNull();
    expectColour(await readPicture(answer.body), 50, 30, [0, 160, 0]);
  });

  it('keeps ids of parts that are missing', async () => {
    const answer = await capture(service.url, {
      html_content: '<p>Hello<img src="cid:photo">',
      ...WINDOW,
      files: { 'logo@mail': Buffer.from(PART).toString('base64') },
    });

    expect(answer.headers.get('x-capture-warnings')).toBe('file_missing');
  });
});
