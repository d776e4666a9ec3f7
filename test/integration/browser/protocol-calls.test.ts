import type { Connection } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LaunchedBrowser } from '../../../src/core/browser/process/launch.ts';
import { openPage } from '../../../src/core/browser/page/open-page.ts';
import { captureOnPage } from '../../../src/core/capture/capture-on-page.ts';
import { createEncodeLimit } from '../../../src/core/capture/formats/pictures/encode-limit.ts';
import { parseOptions } from '../../../src/core/capture/request/parse-options.ts';
import { DEFAULT_WINDOW } from '../../../src/core/steps/viewport.ts';
import { createStopwatch } from '../../../src/core/steps/common/stopwatch.ts';
import { createDestinationPolicy } from '../../../src/core/egress/destination.ts';
import { createGate, type Gate } from '../../../src/core/egress/gate/gate.ts';
import { createResolver } from '../../../src/core/egress/resolver.ts';
import { parseEgressRules } from '../../../src/core/egress/rules.ts';
import { createLog } from '../../../src/core/ground/log.ts';
import { launchUsualBrowser } from '../../support/usual-browser.ts';
import { send, sendHtml } from '../../support/pages/exchange.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';

const noTab = async (): Promise<never> => {
  throw new Error('no tab is opened beside the page');
};

const PLAIN = [
  'Target.createBrowserContext',
  'Target.createTarget',
  'Browser.setDownloadBehavior',
  'Target.attachToTarget',
  'Page.enable',
  'Network.enable',
  'Target.setAutoAttach',
  'Emulation.setDeviceMetricsOverride',
  'Emulation.setUserAgentOverride',
  'Page.navigate',
  'Page.createIsolatedWorld',
  'Runtime.evaluate',
  'Runtime.evaluate',
  'Page.captureScreenshot',
  'Target.disposeBrowserContext',
];

const EVALUATED = ['Runtime.evaluate', 'Runtime.evaluate', 'Runtime.evaluate'];

describe('the protocol calls of a capture', () => {
  const log = createLog({ level: 'silent', format: 'json' });
  let site: FixtureSite;
  let gate: Gate;
  let browser: LaunchedBrowser;
  beforeAll(async () => {
    [site, gate, browser] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/moving.svg': ({ response, url }) => {
            const comment = `<!--${'x'.repeat(Number(url.searchParams.get('length')))}-->`;
            send(response, {
              type: 'image/svg+xml',
              body: `<svg xmlns="http://www.w3.org/2000/svg">${comment}<animate/></svg>`,
            });
          },
          '/with-script': ({ response, url }) =>
            sendHtml(
              response,
              `<div style="height:${url.searchParams.get('height')}px"></div><script>onclick = print</script>`,
            ),
          '/with-moving': ({ response, url }) =>
            sendHtml(response, `<img src="/moving.svg?length=${url.searchParams.get('length')}">`),
        },
      }),
      createGate(log),
      launchUsualBrowser(log),
    ]);
  });
  afterAll(() => Promise.all([browser.close(), gate.close(), site.close()]));

  it('are 15 for a plain picture: no scroll, no request interception, nothing about fonts', async () => {
    const calls = await callsOf({ url: site.url('/plain') });

    expect(calls.toSorted()).toEqual(PLAIN.toSorted());
  });

  it('include one more that wraps frame callbacks when the tab is opened', async () => {
    const calls = await callsOf({ url: site.url('/plain') }, { wrapsFrameCallbacks: true });
    const more = 'Page.addScriptToEvaluateOnNewDocument';

    expect(calls.toSorted()).toEqual([...PLAIN, more].toSorted());
    expect(calls.indexOf(more)).toBeLessThan(calls.indexOf('Page.navigate'));
  });

  it('do not increase with blocked hosts that the page never requests', async () => {
    const fields = { block_ads: true, block_trackers: true, block_chats: true, block_socials: true };
    const calls = await callsOf({ url: site.url('/plain'), ...fields });

    expect(calls.toSorted()).toEqual(PLAIN.toSorted());
  });

  it.each([
    ['a scroll through the full page', { full_page: true }, 'Page.getLayoutMetrics'],
    ['additional headers', { custom_headers: { 'X-A': 'b' } }, 'Fetch.enable'],
    ['dark mode', { dark_mode: true }, 'Emulation.setEmulatedMedia'],
  ])('include one more only if requested: %s', async (_what, fields, call) => {
    expect(await callsOf({ url: site.url('/plain'), ...fields })).toContain(call);
  });

  it('do not increase with the height of a page whose scripts cannot notice a scroll', async () => {
    const SCREENS = 6; // more, of which each would take two evaluations
    const evaluations: number[] = [];
    for (const height of [1_000, 5_000]) {
      const url = site.url(`/with-script?height=${height}`);
      const calls = await callsOf({ url, full_page: true }, { wrapsFrameCallbacks: true });
      evaluations.push(calls.filter((call) => call === 'Runtime.evaluate').length);
    }

    const [low = 0, high = 0] = evaluations;
    expect(high - low).toBeLessThan(SCREENS);
  });

  it('are at most 7 more, of the same kinds, for a page without a cookie banner', async () => {
    const calls = await callsOf({ url: site.url('/plain'), block_cookie_banners: true });
    const more = calls.length - PLAIN.length;

    expect(calls.filter((call) => !PLAIN.includes(call))).toEqual([]);
    expect(more).toBeLessThanOrEqual(7);
  });

  it('do not increase for a json answer with the file alone', async () => {
    const calls = await callsOf({ url: site.url('/plain'), response_type: 'json' });

    expect(calls.toSorted()).toEqual(PLAIN.toSorted());
  });

  it.each([
    ['three scripts for all parts that are read in the page', ['metadata', 'html', 'markdown', 'links'], EVALUATED],
    ['one for parts that the browser reports anyway', ['network'], ['Browser.getVersion']],
  ])('are few for the parts of a json answer: %s', async (_what, include, more) => {
    const calls = await callsOf({ url: site.url('/plain'), response_type: 'json', include });

    expect(calls.toSorted()).toEqual([...PLAIN, ...more].toSorted());
  });

  // The browser sent the whole file, up to 64 MB, before its size was checked.
  it.each([
    [1_000, true],
    [1_000_000, false],
  ])('read the text of a moving SVG picture of %i characters: %s', async (length, isRead) => {
    const calls = await callsOf({ url: site.url(`/with-moving?length=${length}`) });

    expect(calls.includes('Page.getResourceContent')).toBe(isRead);
  });

  it('include one more for a viewport that is not the default', async () => {
    const calls = await callsOf({ url: site.url('/plain'), window_width: 800 });

    expect(calls.toSorted()).toEqual([...PLAIN, 'Emulation.setDeviceMetricsOverride'].toSorted());
  });

  /** Returns the method of each call, including opening and closing the page. */
  async function callsOf(
    fields: Readonly<Record<string, unknown>>,
    { wrapsFrameCallbacks = false } = {},
  ): Promise<string[]> {
    const calls: string[] = [];
    const { connection } = browser;
    const stop = spyOnCalls(connection, (method) => calls.push(method));
    const destinations = createDestinationPolicy({
      allow: parseEgressRules('127.0.0.0/8'),
      deny: [],
      resolve: createResolver(),
      isOwnPort: () => false,
    });
    const gateSession = gate.open(destinations(), () => undefined);
    const page = await openPage(
      { ...browser, openTabBeside: noTab },
      { gate, window: DEFAULT_WINDOW, wrapsFrameCallbacks },
    );
    const { capture: options } = parseOptions(fields, { maxWaitMs: 10_000 });
    const limits = { maxPixels: 1e7, maxResultBytes: 1e8, encodeLimit: createEncodeLimit(1) };
    const context = {
      ...limits,
      lists: async () => undefined,
      endsAt: Infinity,
      stopwatch: createStopwatch(),
      digestOf: async () => '',
      log: { info: () => undefined, warn: () => undefined },
    };
    await captureOnPage(
      {
        page,
        gateSession,
        isNetworkLost: () => false,
        prepareOthers: () => undefined,
        release: () => undefined,
      },
      options,
      context,
    );
    await page.close();
    gateSession.close();
    stop();
    return calls;
  }
});

/**
 * Wraps the method through which every session of a connection sends. Puppeteer does not publish it. Returns a function
 * that restores it.
 */
function spyOnCalls(connection: Connection, onCall: (method: string) => void): () => void {
  const send: unknown = Reflect.get(connection, '_rawSend');
  if (typeof send !== 'function') throw new Error('Puppeteer sends in another way now');
  Reflect.set(connection, '_rawSend', (...call: unknown[]): unknown => {
    onCall(String(call[1]));
    return Reflect.apply(send, connection, call);
  });
  return () => {
    Reflect.deleteProperty(connection, '_rawSend');
  };
}
