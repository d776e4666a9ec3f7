import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Colour } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { sendHtml } from '../../support/pages/exchange.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const GREEN: Colour = [0, 160, 0];
const GREEN_BODY = '<body style="margin:0;background:rgb(0,160,0)">';
const SIZE = 'width="100" height="100" style="border:0;display:block"';
const WINDOW = { window_width: 200, window_height: 150 } as const;
/** Where the frame is in a page: below the window. */
const TOP = 1_000;

const page = (content: string, style = ''): string =>
  `<!doctype html><style>body { margin: 0 } ${style}</style><div style="height:${TOP}px"></div>${content}`;
const SANDBOXED = `<iframe sandbox srcdoc='${GREEN_BODY}' ${SIZE}></iframe>`;

describe('a frame of another origin outside of the window', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/green': ({ response }) => sendHtml(response, `<!doctype html>${GREEN_BODY}`),
          '/around': ({ response, crossSiteOrigin }) =>
            sendHtml(response, `<body style="margin:0"><iframe src="${crossSiteOrigin}/green" ${SIZE}></iframe>`),
          '/page/*': ({ response, url, crossSiteOrigin }) =>
            sendHtml(response, page((url.searchParams.get('body') ?? '').replaceAll('OTHER', crossSiteOrigin))),
        },
      }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  const capturePage = async (html_content: string, fields: object = {}): Promise<CaptureAnswer> =>
    await capture(service.url, { html_content, full_page: true, ...WINDOW, ...fields });

  it.each([
    ['of another site', `<iframe src="OTHER/green" ${SIZE}></iframe>`],
    ['that is lazy', `<iframe loading="lazy" src="OTHER/green" ${SIZE}></iframe>`],
    ['in an object', `<object data="OTHER/green" ${SIZE}></object>`],
    ['in a frame of another site', `<iframe src="OTHER/around" ${SIZE}></iframe>`],
    ['in a frame of the same site', `<iframe src="/around" ${SIZE}></iframe>`],
    ['of a data address', `<iframe src="data:text/html,${encodeURIComponent(GREEN_BODY)}" ${SIZE}></iframe>`],
  ])('is in a picture of the whole page: one %s', async (_kind, body) => {
    const url = site.url(`/page/x?body=${encodeURIComponent(body)}`);
    const answer = await capture(service.url, { url, full_page: true, ...WINDOW });

    expectColour(await readPicture(answer.body), 50, TOP + 50, GREEN);
    expect(answer.headers.get('x-capture-warnings')).toBe(null);
  });

  it.each<[string, string, object, readonly [x: number, y: number]]>([
    ['at density 2', page(SANDBOXED), { pixel_density: 2 }, [100, 2 * TOP + 100]],
    ['in a picture of several tiles', page(`<div style="height:9000px"></div>${SANDBOXED}`), {}, [50, TOP + 9_050]],
    [
      'in a rectangle',
      page(SANDBOXED),
      { full_page: false, clip: { x: 0, y: TOP, width: 100, height: 100 } },
      [50, 50],
    ],
    [
      'in a large element',
      page(`<main style="height:800px"><div style="height:600px"></div>${SANDBOXED}</main>`),
      { full_page: false, selector: 'main' },
      [50, 650],
    ],
    [
      'to the right',
      page(`<div style="width:900px"><div style="margin-left:700px">${SANDBOXED}</div></div>`),
      {},
      [750, TOP + 50],
    ],
    [
      'that is scaled and has a border',
      page(
        `<div style="transform:scale(2);transform-origin:0 0"><iframe sandbox srcdoc='${GREEN_BODY}' style="border:5px solid red;width:80px;height:80px"></iframe></div><div style="height:200px"></div>`,
      ),
      {},
      [160, TOP + 160],
    ],
    [
      'below a fixed header',
      page(`<header style="position:fixed;top:0;height:150px;width:100%;background:red"></header>${SANDBOXED}`),
      {},
      [50, TOP + 50],
    ],
    [
      'that is transparent',
      page('<iframe sandbox srcdoc="text" style="border:0"></iframe>', 'body { background: rgb(0,160,0) }'),
      {},
      [150, TOP + 100],
    ],
    ['as webp of another size', page(SANDBOXED), { format: 'webp', resize_width: 100 }, [25, (TOP + 50) / 2]],
  ])('is in the picture %s', async (_where, html, fields, [x, y]) => {
    const answer = await capturePage(html, fields);

    expectColour(await readPicture(answer.body), x, y, GREEN, 6);
    expect(answer.headers.get('x-capture-warnings')).toBe(null);
  });

  it('leaves the page as it is', async () => {
    const seen = '<script>onscroll = () => { document.title = "scrolled"; }</script>';
    const answer = await capturePage(page(`${SANDBOXED}<p>Text</p>${seen}`), {
      response_type: 'json',
      include: ['html', 'metadata'],
      full_page_scroll: false,
    });

    expect(answer.json()).toMatchObject({
      html: { text: expect.not.stringMatching(/data:image|visibility|margin-top/) },
      metadata: { title: null },
    });
  });

  it('is in the picture if the policy of the page refuses pictures', async () => {
    const policy = `<meta http-equiv="content-security-policy" content="img-src 'none'">`;
    const answer = await capturePage(policy + page(SANDBOXED));

    expectColour(await readPicture(answer.body), 50, TOP + 50, GREEN);
    expect(answer.headers.get('x-capture-warnings')).toBe(null);
  });

  it('is empty, with a warning, if it is turned', async () => {
    const answer = await capturePage(page(`<div style="transform:rotate(20deg)">${SANDBOXED}</div>`));

    expect(answer.headers.get('x-capture-warnings')).toBe('scroll_incomplete');
  });

  it('cannot be read by scripts of the page', async () => {
    const spy = `<script>
      const send = (what) => navigator.sendBeacon('/page/seen?' + what);
      new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes)
          for (const node of [target, ...addedNodes]) {
            const style = node.nodeType === 1 ? getComputedStyle(node).backgroundImage : '';
            const canvas = node.localName === 'canvas' || node.shadowRoot || node.querySelector?.('canvas, img');
            send(/data:|blob:/.test(style) || canvas ? 'readable' : 'change');
          }
      }).observe(document, { subtree: true, childList: true, attributes: true });
    </script>`;
    const url = site.url(`/page/x?body=${encodeURIComponent(`<iframe src="OTHER/green" ${SIZE}></iframe>${spy}`)}`);
    const answer = await capture(service.url, { url, full_page: true, ...WINDOW });

    expectColour(await readPicture(answer.body), 50, TOP + 50, GREEN);
    expect(site.requests.filter(({ path }) => path === '/page/seen?readable')).toEqual([]);
  });

  it('stays hidden if it is hidden', async () => {
    const answer = await capturePage(page(`<div style="visibility:hidden">${SANDBOXED}</div>`));

    expectColour(await readPicture(answer.body), 50, TOP + 50, [255, 255, 255]);
  });
});
