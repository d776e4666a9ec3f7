import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR, pictureOf } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type Routes, send, sendHtml } from '../../support/pages/exchange.ts';
import { type RunningService, startService } from '../../support/service.ts';

const routes: Routes = {
  '/saved': ({ response, crossSiteOrigin }) =>
    sendHtml(
      response,
      `<title>Sé "quoted" \\ saved</title><link rel="stylesheet" href="/saved.css"><img src="${pictureOf(COLOUR.green)}">
       <div id="cut">cut = out</div><iframe src="${crossSiteOrigin}/frames/cross"></iframe><script>document.body.append('by script')</script>`,
    ),
  '/saved.css': ({ response }) => send(response, { type: 'text/css', body: 'p { color: rgb(1, 2, 3) }' }),
  '/large': ({ response }) => sendHtml(response, `<p>${'word '.repeat(800_000)}</p>`),
};

describe('format: mhtml', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes: routes }),
      startService({ MAX_RESULT_BYTES: '3500000' }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const savedOf = (path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), format: 'mhtml', ...fields });

  it('contains the page, its styles, pictures and frames in one file, and no scripts', async () => {
    const answer = await savedOf('/saved');

    const text = answer.body.toString();
    const parts = [...text.matchAll(/^Content-Location: (\S+)\r$/gm)].map(([, address]) => address);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'multipart/related',
      'content-disposition': 'attachment; filename=screenshot.mhtml',
      'content-security-policy': 'sandbox',
      'x-target-url': site.url('/saved'),
    });
    expect(text).toMatch(/^From: <Saved by Blink>\r\n/);
    expect(text).toMatch(/^Content-Type: multipart\/related;\r\n/m);
    expect(parts).toEqual(
      expect.arrayContaining([
        site.url('/saved'),
        site.url('/saved.css'),
        site.url(pictureOf(COLOUR.green)),
        `${site.crossSiteOrigin}/frames/cross`,
      ]),
    );
    expect(text).toContain('by script');
    expect(text).toContain('cut =3D out');
    expect(text).not.toContain('<script');
    expect(text).toMatch(/--\r\n$/);
  });

  it('contains what the page has loaded: sends no further requests', async () => {
    const before = site.requests.length;
    await savedOf('/saved');

    const paths = site.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ''));
    expect(paths.filter((path) => path.startsWith('/saved')).toSorted()).toEqual(['/saved', '/saved.css']);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it.each([
    ['by a script', `const sheet = new CSSStyleSheet(); sheet.replaceSync(rules); root.adoptedStyleSheets = [sheet];`],
    ['in the tree', `root.prepend(Object.assign(document.createElement('style'), { textContent: rules }));`],
  ])('contains the styles of a shadow tree %s', async (_how, add) => {
    const answer = await capture(service.url, {
      html_content: `<base href="http://example.com/folder/"><div></div><script>
        const root = document.querySelector('div').attachShadow({ mode: 'open' });
        root.innerHTML = '<p>text</p>';
        const rules = 'p { color: rgb(1, 2, 3); background: url(back.png) }';
        ${add}
      </script>`,
      format: 'mhtml',
    });

    const text = answer.body.toString().replaceAll('=\r\n', '');
    const [, css = ''] = /<link rel=3D"stylesheet" href=3D"data:text\/css;charset=3Dutf-8,([^"]*)">/.exec(text) ?? [];
    expect(decodeURIComponent(css)).toMatch(/color: rgb\(1, 2, 3\);.*url\("http:\/\/example.com\/folder\/back.png"\)/);
  });

  it('contains the styles of the page in their order, with their media', async () => {
    const styles =
      '<link rel=stylesheet href=data:text/css,><style>p { top: 1px }</style><style media=print>p { top: 2px }</style>';
    const answer = await capture(service.url, { html_content: `${styles}<p>text</p>`, format: 'mhtml' });

    const text = answer.body.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect([...text.matchAll(/<link rel="stylesheet" href="data:[^"]*,([^"]*)">/g)]).toMatchObject([
      { 1: '' },
      { 1: encodeURIComponent('p { top: 1px; }\n@media print {\np { top: 2px; }\n}') },
    ]);
    expect(text).not.toMatch(/^p \{ top: 2px; \}/m);
  });

  it('contains an element with hidden only if a style shows it', async () => {
    const html_content = '<style>#a { display: flex }</style><p id=a hidden>shown</p><p hidden>unseen</p>';
    const answer = await capture(service.url, { html_content, format: 'mhtml' });

    expect(answer.body.toString()).toContain('>shown</p>');
    expect(answer.body.toString()).not.toContain('unseen');
  });

  it('is refused if it exceeds the maximum result size', async () => {
    const answer = await savedOf('/large');

    expect(answer.json()).toMatchObject({ error_type: 'ResultTooLargeError' });
  });

  it('works with supplied markup', async () => {
    const answer = await capture(service.url, { format: 'mhtml', html_content: '<p>a "quoted" \\ word</p>' });

    expect(answer.body.toString()).toContain('<p>a "quoted" \\ word</p>');
  });

  it.each([
    ['hide_selectors', { hide_selectors: ['#cut'] }, '#cut { display: none !important'],
    ['custom_css', { custom_css: '#cut { color: rgb(4, 5, 6) }' }, 'rgb(4, 5, 6)'],
  ])('contains the styles of %s', async (_field, fields, rule) => {
    const answer = await savedOf('/saved', fields);

    expect(answer.body.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(rule);
  });
});
