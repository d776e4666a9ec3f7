import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type Route, send, sendHtml } from '../../support/pages/exchange.ts';
import { startService } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

/** What a worker knows about the browser, and what it sends to a server. */
const REPORTS = `fetch('/who').then((answer) => answer.text()).then((sent) =>
  [navigator.userAgent, navigator.appVersion, navigator.userAgentData?.brands.map(({ brand }) => brand).join(), sent].join('\\n'))`;
const WORKERS: Readonly<Record<string, string>> = {
  '/worker.js': `${REPORTS}.then(postMessage)`,
  '/shared.js': `onconnect = ({ ports: [port] }) => ${REPORTS}.then((reported) => port.postMessage(reported))`,
  '/service.js': `onmessage = ({ source }) => ${REPORTS}.then((reported) => source.postMessage(reported))`,
};
/** A page that asks its workers and a frame, and shows all that they tell. */
const COLLECTS = `<pre></pre><iframe src="/frame"></iframe><script>
  const heard = (target, start) => new Promise((resolve) => {
    target.onmessage = ({ data }) => resolve(data);
    start?.();
  });
  const shared = new SharedWorker('/shared.js').port;
  Promise.all([
    ${REPORTS},
    heard(new Worker('/worker.js')),
    heard(shared),
    navigator.serviceWorker.register('/service.js').then(({ installing }) =>
      heard(navigator.serviceWorker, () => installing.postMessage(''))),
    heard(window),
  ]).then((reported) => document.querySelector('pre').textContent = reported.join('\\n\\n'));
</script>`;

const BACK = '<p>here</p><script>document.querySelector("p").append(history.length); history.back()</script>';

const script =
  (body: string): Route =>
  ({ response }) =>
    send(response, { type: 'text/javascript', body });

describe('the browser that a page sees', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          ...Object.fromEntries(Object.entries(WORKERS).map(([path, body]) => [path, script(body)])),
          '/back': ({ response }) => sendHtml(response, BACK),
          '/who': ({ request, response }) =>
            send(response, {
              type: 'text/plain',
              body: `${request.headers['user-agent']}\n${request.headers['sec-ch-ua']?.toString()}`,
            }),
          '/frame': ({ response }) =>
            sendHtml(response, `<script>${REPORTS}.then((reported) => parent.postMessage(reported))</script>`),
          '/collects': ({ response }) => sendHtml(response, COLLECTS),
        },
      }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  /** Evaluates an expression in a page of the site. */
  const valueOf = async (expression: string, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    const { body } = await capture(service.url, {
      url: site.url('/colours'),
      format: 'html',
      custom_js: `document.body.innerHTML = '<pre>' + JSON.stringify(${expression}) + '</pre>'`,
      ...fields,
    });
    return JSON.parse(/<pre>(.*)<\/pre>/s.exec(body.toString())?.[1] ?? 'null');
  };

  it('does not call itself headless, in any place that a page or a server can read', async () => {
    const requestsBefore = site.requests.length;

    const { body } = await capture(service.url, {
      url: site.url('/collects'),
      format: 'html',
      wait_for_function: 'document.querySelector("pre").textContent',
    });

    const [, reported = ''] = /<pre>(.*)<\/pre>/s.exec(body.toString()) ?? [];
    expect(reported.match(/^Mozilla\/5\.0 .* Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/gm)).toHaveLength(10);
    expect(reported.match(/^Chromium,Google Chrome,/gm)).toHaveLength(5);
    expect(reported).not.toContain('Headless');
    const requests = site.requests.slice(requestsBefore);
    expect(requests.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(WORKERS)));
    for (const { headers } of requests) expect(JSON.stringify(headers)).not.toContain('Headless');
  });

  it('is the same with a locale', async () => {
    const agent = await valueOf('navigator.userAgent');

    expect(await valueOf('navigator.userAgent', { locale: 'de-CH' })).toBe(agent);
  });

  it('is that of DEFAULT_USER_AGENT, unless the request names another', async () => {
    await using own = await startService({ DEFAULT_USER_AGENT: 'ExampleBot/1.0', EGRESS_ALLOW: '127.0.0.1' });
    const reportOf = async (fields: object): Promise<string> => {
      const answer = await capture(own.url, {
        url: site.url('/collects'),
        format: 'html',
        wait_for_function: 'document.querySelector("pre").textContent',
        ...fields,
      });
      return /<pre>(.*)<\/pre>/s.exec(answer.body.toString())?.[1] ?? '';
    };

    expect((await reportOf({})).match(/^ExampleBot\/1\.0$/gm)).toHaveLength(10);
    expect(await reportOf({ user_agent: 'OtherBot/2.0' })).toMatch(/^OtherBot\/2\.0\n/);
    const health: unknown = await (await fetch(`${own.url}/health`)).json();
    expect(health).toMatchObject({ browser: { user_agent: 'ExampleBot/1.0' } });
  });

  const textOf = async (fields: object): Promise<string> => {
    const { body } = await capture(service.url, { format: 'markdown', main_content: false, ...fields });
    return body.toString().trim();
  };

  const SCREEN =
    '[screen.width, screen.height, screen.orientation.type, screen.orientation.angle, outerWidth >= innerWidth && outerHeight >= innerHeight]';
  const POINTER =
    "['(hover: hover)', '(pointer: fine)', '(pointer: coarse)'].map((query) => matchMedia(query).matches).concat(navigator.maxTouchPoints, 'ontouchstart' in window)";
  const MOUSE = [true, true, false, 0, false];
  const FINGER = [false, false, true, 5, true];

  it.each([
    ['a desktop', {}, [1920, 1080, 'landscape-primary', 0, true], MOUSE],
    ['a large window', { window_width: 2500, window_height: 1500 }, [2500, 1500, 'landscape-primary', 0, true], MOUSE],
    ['a high window', { window_width: 800, window_height: 1200 }, [1920, 1200, 'landscape-primary', 0, true], MOUSE],
    ['a touch screen', { has_touch: true }, [1920, 1080, 'landscape-primary', 0, true], [true, true, false, 5, true]],
    ['a phone', { device: 'iPhone 15 Pro' }, [393, 659, 'portrait-primary', 0], FINGER],
    ['a turned phone', { device: 'iPhone 15 Pro landscape' }, [734, 343, 'landscape-primary', 90], FINGER],
    [
      'a window of a phone',
      { is_mobile: true, window_width: 400, window_height: 800 },
      [400, 800, 'portrait-primary', 0],
      FINGER,
    ],
  ])('has the screen and the pointer of %s', async (_name, fields, screen, pointer) => {
    expect(await valueOf(`[${SCREEN}, ${POINTER}]`, fields)).toEqual([expect.arrayContaining(screen), pointer]);
  });

  it('has no earlier page in its history', async () => {
    expect(await textOf({ html_content: BACK })).toBe('here1');
    expect(await textOf({ url: site.url('/back') })).toBe('here1');
    expect(await textOf({ url: site.url('/redirect-to?url=/back') })).toBe('here1');
  });
});
