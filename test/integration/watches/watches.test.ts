import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectAgent } from '../../support/agent.ts';
import { eventually } from '../../support/eventually.ts';
import { readPicture } from '../../support/pixels.ts';
import { startService } from '../../support/service.ts';
import {
  always,
  callsOf,
  NEVER,
  SMALL,
  type Shown,
  startWatchedService,
  TOKENS,
  type WatchedService,
  isDown,
} from '../../support/watched-service.ts';

describe('watches', () => {
  let world: WatchedService;
  beforeAll(async () => {
    world = await startWatchedService();
  });
  beforeEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());
  const { call, settled, runsOf, runNow, withWatch } = callsOf(() => world);

  it('adds a watch with its defaults, makes the first run at once, and shows both', async () => {
    world.show = always('<p>Hello</p>');
    const capture = { url: world.site.url('/watched'), ...SMALL };
    const {
      status,
      headers,
      json: watch,
    } = await call('POST', '/watches', { capture, schedule: '0 9 * * *', timezone: 'Europe/Berlin' });

    expect([status, headers.get('location')]).toEqual([201, `/watches/${watch.id}`]);
    expect(watch).toMatchObject({
      state: 'active',
      capture,
      schedule: '0 9 * * *',
      timezone: 'Europe/Berlin',
      confirm: 2,
      notify: 'changed',
      baseline: 'told',
      keep: 30,
      compare: { ignore: [], threshold: 0.01, min_ratio: 0 },
    });
    expect(new Date(watch.next_run_at).toISOString()).toMatch(/T0[78]:00:00\.000Z$/);
    const { last_run: run } = await settled(watch.id);
    expect(run).toMatchObject({ watch: watch.id, outcome: 'first', content_type: 'image/png', target_status: 200 });
    const picture = await readPicture(Buffer.from(await (await fetch(run.url)).arrayBuffer()));
    expect([picture.width, picture.height]).toEqual([300, 120]);
    expect((await call('GET', '/watches')).json.watches.map(({ id }: { id: string }) => id)).toEqual([watch.id]);
    const long = { html_content: `<p>${'x'.repeat(3_000)}`, ...SMALL };
    const { json: changed } = await call('PATCH', `/watches/${watch.id}`, { capture: long });
    expect(changed.capture).toEqual(long);
    expect((await call('GET', '/watches')).json.watches[0].capture).toEqual({ ...SMALL, html_content: '…' });
    expect((await call('GET', `/jobs/${run.id}`)).json).toMatchObject({
      state: 'done',
      label: expect.stringContaining('/watched'),
    });

    expect((await call('DELETE', `/watches/${watch.id}`)).status).toBe(204);
    expect((await call('GET', `/watches/${watch.id}`)).status).toBe(404);
  });

  it('tells a change with its place, its texts and both pictures', async () => {
    world.show = always('<p>Price <b id="price">10.00</b></p>');
    await withWatch({ webhook_url: world.site.url('/hook'), label: 'Prices' }, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
      world.show = always('<p>Price <b id="price">10,00</b></p>');
      const run = await runNow(id);

      expect(run).toMatchObject({
        outcome: 'changed',
        comparison: { regions: [{ kind: 'changed', selector: '#price', before: '10.00', after: '10,00' }] },
      });
      expect(await runNow(id)).toMatchObject({ outcome: 'same' }); // the change is the baseline now
      await eventually(() => expect(world.hooks).toHaveLength(1));
      expect(world.hooks[0]).toMatchObject({
        id: run.id,
        watch: id,
        label: 'Prices',
        outcome: 'changed',
        comparison: run.comparison,
      });
      const links = await Promise.all([world.hooks[0].url, world.hooks[0].before_url].map((url) => fetch(url)));
      expect(links.map((each) => each.headers.get('content-type'))).toEqual(['image/png', 'image/png']);
    });
  });

  it('tells nobody of what comes and goes', async () => {
    const kinds: Readonly<Record<string, Shown>> = {
      flicker: (n) => ({ body: `<p>Text</p>${n === 2 ? '<p>Flicker</p>' : ''}` }),
      rotation: (n) => ({ body: `<p>Text</p><p>${['Sale', 'Winter boots', 'Jobs'][n % 3]}</p>` }),
      'error-page': (n) => (isDown(n) ? { body: 'error', status: 503 } : { body: '<p>Text</p>' }),
      'blank-page': (n) => ({ body: isDown(n) ? '' : '<p>Text</p>' }),
      'too-many-world.requests': (n) => (isDown(n) ? { body: 'slow down', status: 429 } : { body: '<p>Text</p>' }),
      forbidden: (n) => (isDown(n) ? { body: 'Are you a robot?', status: 403 } : { body: '<p>Text</p>' }),
      'style-sheet': always('<link rel="stylesheet" href="/part-of/style-sheet"><p>Text</p>'),
      frame: always('<iframe src="/part-of/frame"></iframe>'),
      'many-parts': (n) => ({
        body: Array.from(
          { length: 60 },
          (_, k) =>
            `<b style="background:${(k * k * n * 7 + n) % 5 < 2 ? '#f00' : '#00f'};float:left;width:9px;height:9px;margin:9px"></b>`,
        ).join(''),
      }),
    };
    const watchKind = async ([kind, shown]: [string, Shown]): Promise<unknown> => {
      world.pages.set(kind, { shown, requests: 0 });
      const capture = { url: world.site.url(`/watched/${kind}`), ...SMALL };
      let outcomes: unknown;
      await withWatch({ capture, webhook_url: world.site.url('/hook') }, async (id) => {
        await runNow(id);
        await runNow(id);
        outcomes = (await runsOf(id)).map(({ outcome }) => outcome);
      });
      return [kind, outcomes];
    };
    const found = await Promise.all(Object.entries(kinds).map(watchKind));

    // The parts of a page are there again at its second attempt.
    const shown = ['flicker', 'rotation', 'style-sheet', 'frame', 'many-parts'];
    const expected = Object.keys(kinds).map((kind) => [
      kind,
      ['same', shown.includes(kind) ? 'same' : 'failed', 'first'],
    ]);
    expect(found).toEqual(expected);
    expect(world.hooks).toEqual([]);
  });

  it('tells a change beside a text that rotates', async () => {
    const rotating = ['Sale', 'Winter boots', 'Jobs'];
    const priced =
      (price: string): Shown =>
      (n) => ({ body: `<p>Price <b id="p">${price}</b></p><p style="margin-top:30px">${rotating[n % 3]}</p>` });
    world.show = priced('10');
    await withWatch({}, async (id) => {
      world.show = priced('11');
      const { outcome, comparison } = await runNow(id);
      expect([outcome, comparison.regions.length, comparison.regions[0].selector]).toEqual(['changed', 1, '#p']);
    });
  });

  it('makes as many captures of a change as `confirm`', async () => {
    for (const confirm of [1, 2, 3]) {
      world.show = always('<p>One</p>');
      await withWatch({ confirm }, async (id) => {
        world.requests = 0;
        await runNow(id);
        expect(world.requests).toBe(1);
        world.show = always('<p>Two</p>');
        expect(await runNow(id)).toMatchObject({ outcome: 'changed' });
        expect(world.requests).toBe(1 + confirm);
      });
    }
  });

  it('tells when a page appears that was missing', async () => {
    world.show = () => ({ body: '<p>Not here</p>', status: 404 });
    await withWatch({}, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same', target_status: 404 });
      world.show = always('<p>Here</p>');
      expect(await runNow(id)).toMatchObject({ outcome: 'changed', target_status: 200 });
    });
  });

  it('retries a page that fails, pauses after failures, tells it once, and goes on when it is resumed', async () => {
    world.show = () => ({ body: 'down', status: 500 });
    await withWatch({ webhook_url: world.site.url('/hook'), pause_after_failures: 1 }, async (id) => {
      expect(world.requests).toBe(2);
      expect(await runsOf(id)).toMatchObject([
        {
          outcome: 'failed',
          error: { status: 'error', error_type: 'NavigationError', message: 'The page answered with status 500' },
        },
      ]);
      const { json: paused } = await call('GET', `/watches/${id}`);
      expect(paused).toMatchObject({ state: 'paused', paused_by: 'failures', failures: 1 });
      expect(paused.next_run_at).toBeUndefined();
      await eventually(() =>
        expect(world.hooks).toEqual([expect.objectContaining({ outcome: 'failed', paused: true })]),
      );

      world.show = always('<p>Up</p>');
      const { json: resumed } = await call('PATCH', `/watches/${id}`, { state: 'active' });
      expect(resumed).toMatchObject({ state: 'active', failures: 0, next_run_at: expect.any(String) });
      expect(await runNow(id)).toMatchObject({ outcome: 'first' });
    });
  });

  it('sends every run with `notify: always`', async () => {
    world.show = always('<p>Text</p>');
    await withWatch({ notify: 'always', webhook_url: world.site.url('/hook') }, async (id) => {
      await runNow(id);
      await eventually(() =>
        expect(new Set(world.hooks.map(({ outcome }) => outcome))).toEqual(new Set(['first', 'same'])),
      );
    });
  });

  it('compares the lines of markdown', async () => {
    world.show = always('<main><h1>Title</h1><p>One line of the text.</p></main>');
    await withWatch(
      { capture: { url: world.site.url('/watched'), format: 'markdown', main_content: false } },
      async (id) => {
        expect(await runNow(id)).toMatchObject({ outcome: 'same', content_type: 'text/markdown; charset=utf-8' });
        world.show = always('<main><h1>Title</h1><p>Another line of the text.</p></main>');
        const { outcome, comparison } = await runNow(id);
        expect([outcome, comparison.changes]).toEqual([
          'changed',
          [{ kind: 'changed', line: 3, before: 'One line of the text.', after: 'Another line of the text.' }],
        ]);
      },
    );
  });

  it('keeps each run of a plain schedule, and a copy by its date', async () => {
    world.show = always('<p>Report</p>');
    const capture = { url: world.site.url('/watched'), format: 'pdf', store_path: 'reports/{date}-{time}.pdf' };
    await withWatch({ capture, compare: null }, async (id) => {
      const run = await runNow(id);
      expect(run).toMatchObject({ outcome: 'done', content_type: 'application/pdf' });
      const bytes = Buffer.from(await (await fetch(run.url)).arrayBuffer());
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      const names = await readdir(join(world.folder, 'data', 'storage', 'reports'));
      expect(names.find((name) => !name.startsWith('.'))).toMatch(/^\d{4}-\d\d-\d\d-\d\d-\d\d\.pdf$/);
    });
  });

  it('shows no secret', async () => {
    world.show = always('<p>Text</p>');
    const secret = 'secret-of-the-page';
    const capture = {
      url: `${world.site.url('/watched').replace('://', `://reader:${secret}@`)}?token=${secret}`,
      custom_headers: { 'X-Key': secret },
      cookies: [{ name: 'session', value: secret }],
      custom_js: `window.key = '${secret}'`,
      ...SMALL,
    };
    const hook = `${world.site.url('/hook').replace('://', `://reader:${secret}@`)}?token=${secret}`;
    await withWatch({ capture, webhook_url: hook }, async (id) => {
      const shown = await Promise.all([
        call('GET', '/watches'),
        call('GET', `/watches/${id}`),
        call('GET', `/watches/${id}/runs`),
      ]);
      expect(JSON.stringify(shown.map((answer) => answer.json))).not.toContain(secret);
      expect(shown[1]?.json.capture).toMatchObject({ custom_headers: '***', cookies: '***', custom_js: '***' });
      expect(shown[1]?.json.webhook_url).toBe(`${new URL(world.site.url('/')).origin}/***`);
      expect(world.service.output()).not.toContain(secret);
    });
  });

  it('holds no more watches than WATCH_MAX', async () => {
    world.show = always('<p>Text</p>');
    const body = { capture: { url: world.site.url('/watched'), ...SMALL }, schedule: NEVER };
    const added = await Promise.all(Array.from({ length: 13 }, () => call('POST', '/watches', body)));
    expect(added.filter(({ status }) => status === 201)).toHaveLength(12);
    const refused = added.find(({ status }) => status === 409);
    expect(refused?.json).toMatchObject({ error_type: 'WatchLimitError', error_details: 'WATCH_MAX is 12' });
    await Promise.all(added.flatMap(({ json: watch }) => (watch.id ? [call('DELETE', `/watches/${watch.id}`)] : [])));
  });

  it('can be read by agents, each within its scopes', async () => {
    world.show = always('<p>One</p>');
    await withWatch({ label: 'Prices' }, async (id) => {
      world.show = always('<p>Two</p>');
      await runNow(id);
      await using agent = await connectAgent(world.service.url, { token: TOKENS['default'] ?? '' });
      const textOf = async (name: string, args: object): Promise<string> =>
        JSON.stringify((await agent.call(name, { ...args })).content);
      expect(await textOf('list_watches', {})).toContain(`${id} changed, next `);
      expect(await textOf('read_watch', { watch: id })).toMatch(/outcome.{5}changed.*before.{5}One.*after.{5}Two/);
      expect(await textOf('read_watch', { watch: 'none' })).toContain('There is no watch with this id');
      expect(await textOf('read_watch', {})).toContain('watch: must be a text');
    });
  });

  it('belongs to its key', async () => {
    world.show = always('<p>Text</p>');
    const body = { capture: { url: world.site.url('/watched'), ...SMALL }, schedule: NEVER };
    const { json: watch } = await call('POST', '/watches', body, 'shop');
    await withWatch({}, async (id) => {
      expect(
        (await call('GET', '/watches', undefined, 'shop')).json.watches.map((each: { id: string }) => each.id),
      ).toEqual([watch.id]);
      expect((await call('GET', '/watches')).json.watches).toHaveLength(2);
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/runs'],
        ['POST', '/run'],
        ['POST', '/accept'],
      ] as const) {
        const { status, json: error } = await call(
          method,
          `/watches/${id}${path}`,
          method === 'PATCH' ? {} : undefined,
          'shop',
        );
        expect([method, path, status, error.error_type]).toEqual([method, path, 404, 'NotFoundError']);
      }
    });
    const { status, json: error } = await call(
      'POST',
      '/watches',
      { ...body, capture: { ...body.capture, custom_js: '1' } },
      'shop',
    );
    expect([status, error.error_type]).toEqual([403, 'FieldNotAllowedError']);
    await settled(watch.id);
    await call('DELETE', `/watches/${watch.id}`, undefined, 'shop');
  });

  it.each([
    ['no schedule', { schedule: undefined }, 'schedule: must be five fields of cron'],
    ['a schedule in words', { schedule: 'daily' }, 'schedule: must be five fields of cron'],
    ['a date as schedule', { schedule: '2026-12-24T00:00:00' }, 'schedule: must be five fields of cron'],
    ['a schedule that never starts', { schedule: '0 0 31 2 *' }, 'schedule: never starts'],
    ['a schedule without a pause', { schedule: 'every 0 seconds' }, 'schedule: must be five fields'],
    ['an unknown time zone', { timezone: 'Mars/Base' }, 'timezone: must be an IANA time zone'],
    ['four captures', { confirm: 4 }, 'confirm: must be an integer from 1 to 3'],
    ['no runs', { keep: 0 }, 'keep: must be an integer from 1 to 365'],
    ['an unknown field', { interval: 5 }, 'interval: is not a known field'],
    ['an unknown field of the capture', { capture: { url: 'https://a.example/', colour: 1 } }, 'capture: colour'],
    [
      'a pdf that would be compared',
      { capture: { url: 'https://a.example/', format: 'pdf' } },
      'capture: format: must be one of png',
    ],
    [
      'several pictures of a compared capture',
      { capture: { url: 'https://a.example/', selector: 'p', selector_each: true } },
      'capture: selector_each: has no effect',
    ],
    [
      'a log-in state that would be kept',
      { capture: { url: 'https://a.example/', response_type: 'json', include: ['storage_state'] }, compare: null },
      'capture: include: storage_state',
    ],
    [
      'a box of markdown',
      {
        capture: { url: 'https://a.example/', format: 'markdown' },
        compare: { ignore: [{ x: 0, y: 0, width: 1, height: 1 }] },
      },
      'compare.ignore',
    ],
    [
      'what is shown of a secret',
      { capture: { url: 'https://a.example/', custom_js: '***' } },
      'capture: custom_js: is what answers show',
    ],
    ['a private page', { capture: { url: 'http://10.0.0.1/' } }, ''],
    [
      'a path out of the storage',
      { capture: { url: 'https://a.example/', store_path: '../{date}.png' } },
      'capture: store_path',
    ],
  ])('refuses %s', async (_what, fields, details) => {
    const { status, json: error } = await call('POST', '/watches', {
      capture: { url: world.site.url('/watched') },
      schedule: NEVER,
      ...fields,
    });
    expect([status, error.error_details]).toEqual([400, expect.stringContaining(details)]);
    expect((await call('GET', '/watches')).json.watches).toEqual([]);
  });
});

describe('a service without jobs', () => {
  it('says what watches need', async () => {
    await using service = await startService();
    const answer = await fetch(`${service.url}/watches`);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error_details: expect.stringContaining('DATA_DIR') }),
    ]);
  });
});
