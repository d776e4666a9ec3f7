import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectAgent } from '../../support/agent.ts';
import { runCommand } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type Routes, send, sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';

const TOKENS: Readonly<Record<string, string>> = { default: 'token-of-the-operator', shop: 'token-of-the-shop' };
const SMALL = { window_width: 300, window_height: 120 };
const NEVER = 'every 300 days';

/** What the watched page shows at a request, counted from 1. */
type Shown = (request: number) => { readonly body: string; readonly status?: number };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line no-explicit-any -- any JSON: each test checks the fields that it needs
  readonly json: any;
}

const always =
  (body: string): Shown =>
  () => ({ body });
const isDown = (request: number): boolean => request === 2 || request === 3;

const lines = (n: number): string =>
  Array.from({ length: 1 + ((n * 7) % 3) }, (_, k) => `<p>Ad ${k} ${n}</p>`).join('');

describe('watches', () => {
  let folder: string;
  let site: FixtureSite;
  let service: RunningService;
  let show: Shown;
  let requests = 0;
  /** Pages of their own, by the ends of their paths. */
  const pages = new Map<string, { readonly shown: Shown; requests: number }>();
  // oxlint-disable-next-line no-explicit-any -- any JSON: each test checks the fields that it needs
  const hooks: any[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watches-test-'));
    const moreRoutes: Routes = {
      '/watched': ({ response }) => {
        requests++;
        const { body, status } = show(requests);
        sendHtml(response, toDocument({ body }), status);
      },
      '/watched/*': ({ response, rest }) => {
        const page = pages.get(rest);
        if (page === undefined) throw new Error(`no page ${rest}`);
        page.requests++;
        const { body, status } = page.shown(page.requests);
        sendHtml(response, toDocument({ body }), status);
      },
      // A part of a page, whose server fails while the page is shown for the second and third time.
      '/part-of/*': ({ response, rest }) => {
        const isAway = isDown(pages.get(rest)?.requests ?? 0);
        if (isAway) sendHtml(response, 'away', 503);
        else if (rest === 'frame') sendHtml(response, '<p>Frame</p>');
        else send(response, { type: 'text/css', body: 'p { color: green }' });
      },
      '/hook': async ({ request, response }) => {
        hooks.push(await json(request));
        response.end();
      },
    };
    const shop = {
      id: 'shop',
      token_sha256: [
        createHash('sha256')
          .update(TOKENS['shop'] ?? '')
          .digest('hex'),
      ],
    };
    const keys = [{ ...shop, signing_secrets: [], scopes: ['jobs'], deny_fields: ['custom_js'] }];
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes }),
      startService({
        DATA_DIR: join(folder, 'data'),
        AUTH_TOKEN: TOKENS['default'] ?? '',
        KEYS_FILE: join(folder, 'keys.json'),
        WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
        MCP: 'true',
        WATCH_MAX: '12',
        WATCH_MIN_INTERVAL: '1000',
      }),
    ]);
  });
  beforeEach(() => {
    requests = 0;
    hooks.length = 0;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await site.close();
    await rm(folder, { recursive: true });
  });

  const call = async (method: string, path: string, body?: object, owner = 'default'): Promise<Answer> => {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${TOKENS[owner]}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
  };
  const settled = (id: string): Promise<Answer['json']> =>
    eventually(async () => {
      const { json: watch } = await call('GET', `/watches/${id}`);
      if (watch.current_run !== undefined) throw new Error('a run is going');
      return watch;
    });
  const runsOf = async (id: string): Promise<Answer['json'][]> => (await call('GET', `/watches/${id}/runs`)).json.runs;
  const runNow = async (id: string): Promise<Answer['json']> => {
    const { json: run } = await call('POST', `/watches/${id}/run`);
    await settled(id);
    return (await runsOf(id)).find((each) => each.id === run.id);
  };
  /** Adds a watch of the page, waits for its first run, calls `use`, and removes the watch. */
  const withWatch = async (fields: object, use: (id: string) => Promise<void>): Promise<void> => {
    const given = { capture: { url: site.url('/watched'), ...SMALL }, schedule: NEVER, ...fields };
    const { status, json: watch } = await call('POST', '/watches', given);
    expect([status, watch]).toEqual([201, expect.objectContaining({ state: 'active' })]);
    try {
      await settled(watch.id);
      await use(watch.id);
    } finally {
      await call('DELETE', `/watches/${watch.id}`);
    }
  };

  it('adds a watch with its defaults, makes the first run at once, and shows both', async () => {
    show = always('<p>Hello</p>');
    const capture = { url: site.url('/watched'), ...SMALL };
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
    expect((await call('GET', `/jobs/${run.id}`)).json).toMatchObject({
      state: 'done',
      label: expect.stringContaining('/watched'),
    });

    expect((await call('DELETE', `/watches/${watch.id}`)).status).toBe(204);
    expect((await call('GET', `/watches/${watch.id}`)).status).toBe(404);
  });

  it('tells a change with its place, its texts and both pictures', async () => {
    show = always('<p>Price <b id="price">10.00</b></p>');
    await withWatch({ webhook_url: site.url('/hook'), label: 'Prices' }, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
      show = always('<p>Price <b id="price">10,00</b></p>');
      const run = await runNow(id);

      expect(run).toMatchObject({
        outcome: 'changed',
        comparison: { regions: [{ kind: 'changed', selector: '#price', before: '10.00', after: '10,00' }] },
      });
      expect(await runNow(id)).toMatchObject({ outcome: 'same' }); // the change is the baseline now
      await eventually(() => expect(hooks).toHaveLength(1));
      expect(hooks[0]).toMatchObject({
        id: run.id,
        watch: id,
        label: 'Prices',
        outcome: 'changed',
        comparison: run.comparison,
      });
      const links = await Promise.all([hooks[0].url, hooks[0].before_url].map((url) => fetch(url)));
      expect(links.map((each) => each.headers.get('content-type'))).toEqual(['image/png', 'image/png']);
    });
  });

  it('tells nobody of what comes and goes', async () => {
    const kinds: Readonly<Record<string, Shown>> = {
      flicker: (n) => ({ body: `<p>Text</p>${n === 2 ? '<p>Flicker</p>' : ''}` }),
      rotation: (n) => ({ body: `<p>Text</p><p>${['Sale', 'Winter boots', 'Jobs'][n % 3]}</p>` }),
      'error-page': (n) => (isDown(n) ? { body: 'error', status: 503 } : { body: '<p>Text</p>' }),
      'blank-page': (n) => ({ body: isDown(n) ? '' : '<p>Text</p>' }),
      'too-many-requests': (n) => (isDown(n) ? { body: 'slow down', status: 429 } : { body: '<p>Text</p>' }),
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
      pages.set(kind, { shown, requests: 0 });
      const capture = { url: site.url(`/watched/${kind}`), ...SMALL };
      let outcomes: unknown;
      await withWatch({ capture, webhook_url: site.url('/hook') }, async (id) => {
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
    expect(hooks).toEqual([]);
  });

  it('tells a change beside a text that rotates', async () => {
    const rotating = ['Sale', 'Winter boots', 'Jobs'];
    const priced =
      (price: string): Shown =>
      (n) => ({ body: `<p>Price <b id="p">${price}</b></p><p style="margin-top:30px">${rotating[n % 3]}</p>` });
    show = priced('10');
    await withWatch({}, async (id) => {
      show = priced('11');
      const { outcome, comparison } = await runNow(id);
      expect([outcome, comparison.regions.length, comparison.regions[0].selector]).toEqual(['changed', 1, '#p']);
    });
  });

  it('makes as many captures of a change as `confirm`', async () => {
    for (const confirm of [1, 2, 3]) {
      show = always('<p>One</p>');
      await withWatch({ confirm }, async (id) => {
        requests = 0;
        await runNow(id);
        expect(requests).toBe(1);
        show = always('<p>Two</p>');
        expect(await runNow(id)).toMatchObject({ outcome: 'changed' });
        expect(requests).toBe(1 + confirm);
      });
    }
  });

  it('tells when a page appears that was missing', async () => {
    show = () => ({ body: '<p>Not here</p>', status: 404 });
    await withWatch({}, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same', target_status: 404 });
      show = always('<p>Here</p>');
      expect(await runNow(id)).toMatchObject({ outcome: 'changed', target_status: 200 });
    });
  });

  it('retries a page that fails, pauses after failures, tells it once, and goes on when it is resumed', async () => {
    show = () => ({ body: 'down', status: 500 });
    await withWatch({ webhook_url: site.url('/hook'), pause_after_failures: 1 }, async (id) => {
      expect(requests).toBe(2);
      expect(await runsOf(id)).toMatchObject([
        {
          outcome: 'failed',
          error: { status: 'error', error_type: 'NavigationError', message: 'The page answered with status 500' },
        },
      ]);
      const { json: paused } = await call('GET', `/watches/${id}`);
      expect(paused).toMatchObject({ state: 'paused', paused_by: 'failures', failures: 1 });
      expect(paused.next_run_at).toBeUndefined();
      await eventually(() => expect(hooks).toEqual([expect.objectContaining({ outcome: 'failed', paused: true })]));

      show = always('<p>Up</p>');
      const { json: resumed } = await call('PATCH', `/watches/${id}`, { state: 'active' });
      expect(resumed).toMatchObject({ state: 'active', failures: 0, next_run_at: expect.any(String) });
      expect(await runNow(id)).toMatchObject({ outcome: 'first' });
    });
  });

  it('sends every run with `notify: always`', async () => {
    show = always('<p>Text</p>');
    await withWatch({ notify: 'always', webhook_url: site.url('/hook') }, async (id) => {
      await runNow(id);
      await eventually(() => expect(new Set(hooks.map(({ outcome }) => outcome))).toEqual(new Set(['first', 'same'])));
    });
  });

  it('compares with what was accepted alone, if the client wants that', async () => {
    show = always('<p>One</p>');
    await withWatch({ baseline: 'accepted', webhook_url: site.url('/hook') }, async (id) => {
      show = always('<p>Two</p>');
      expect(await runNow(id)).toMatchObject({ outcome: 'changed' });
      const again = await runNow(id);
      expect(again).toMatchObject({ outcome: 'changed' });
      await eventually(() => expect(hooks).toHaveLength(1));

      const { status, json: watch } = await call('POST', `/watches/${id}/accept`);
      expect([status, watch.baseline_run]).toEqual([200, again.id]);
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
    });
  });

  it('keeps what was changed beside its change, and counts no skipped run among those that it keeps', async () => {
    show = always('<p>One</p>');
    await withWatch({ keep: 1, webhook_url: site.url('/hook') }, async (id) => {
      for (let count = 0; count < 3; count++) await runNow(id);
      show = always('<p>Two</p>');
      await runNow(id);
      await eventually(() => expect(hooks).toHaveLength(1));
      expect((await fetch(hooks[0].before_url)).status).toBe(200);
      await runNow(id);
      await runNow(id);
      expect((await runsOf(id)).map(({ outcome }) => outcome)).toEqual(['same', 'changed']); // the baseline stays
    });
    const slow = { url: site.url('/watched'), ...SMALL, delay_capture: 1_500 };
    await withWatch({ capture: slow, keep: 1, schedule: 'every 1 second' }, async (id) => {
      await eventually(async () => {
        const outcomes = (await runsOf(id)).map(({ outcome }) => outcome);
        expect([outcomes.includes('skipped'), outcomes.includes('same'), outcomes.at(-1)]).toEqual([
          true,
          true,
          'first',
        ]);
      });
    });
  });

  it('ends a run whose job is cancelled, and keeps changes that come at once', async () => {
    show = always('<p>Text</p>');
    await withWatch({ capture: { url: site.url('/watched'), delay_capture: 5_000 }, schedule: NEVER }, async (id) => {
      const { json: run } = await call('POST', `/watches/${id}/run`);
      await call('DELETE', `/jobs/${run.id}`);
      const watch = await settled(id);
      expect(watch.last_run).toMatchObject({
        id: run.id,
        outcome: 'failed',
        error: { message: 'The job of this run was cancelled' },
      });
      await Promise.all(
        [{ label: 'New' }, { keep: 7 }, { notify: 'always' }].map((change) => call('PATCH', `/watches/${id}`, change)),
      );
      expect((await call('GET', `/watches/${id}`)).json).toMatchObject({ label: 'New', keep: 7, notify: 'always' });
    });
  });

  it('tells nobody of lines that come and go, and of no blank ones', async () => {
    show = (n) => ({ body: `<h1>Head</h1><p>Price 10</p><p>Text</p><p>More text</p>${lines(n)}<p>Foot</p>` });
    const capture = { url: site.url('/watched'), format: 'markdown', main_content: false };
    await withWatch({ capture }, async (id) => {
      for (let count = 0; count < 3; count++) expect(await runNow(id)).toMatchObject({ outcome: 'same' });
      show = (n) => ({ body: `<h1>Head</h1><p>Price 11</p><p>Text</p><p>More text</p>${lines(n)}<p>Foot</p>` });
      const { outcome, comparison } = await runNow(id);
      expect([outcome, comparison.changes]).toEqual([
        'changed',
        [{ kind: 'changed', line: 3, before: 'Price 10', after: 'Price 11' }],
      ]);
    });
  });

  it('leaves out what the client ignores, and changes below `min_ratio`', async () => {
    show = (n) => ({ body: `<p>Text</p><p class="clock">${n * 1111}</p>` });
    await withWatch({ compare: { ignore: [{ selector: '.clock' }] }, confirm: 1 }, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
      await call('PATCH', `/watches/${id}`, { compare: { min_ratio: 0.5 } });
      expect(await runNow(id)).toMatchObject({ outcome: 'first' });
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
    });
  });

  it('compares the lines of markdown', async () => {
    show = always('<main><h1>Title</h1><p>One line of the text.</p></main>');
    await withWatch({ capture: { url: site.url('/watched'), format: 'markdown', main_content: false } }, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same', content_type: 'text/markdown; charset=utf-8' });
      show = always('<main><h1>Title</h1><p>Another line of the text.</p></main>');
      const { outcome, comparison } = await runNow(id);
      expect([outcome, comparison.changes]).toEqual([
        'changed',
        [{ kind: 'changed', line: 3, before: 'One line of the text.', after: 'Another line of the text.' }],
      ]);
    });
  });

  it('keeps each run of a plain schedule, and a copy by its date', async () => {
    show = always('<p>Report</p>');
    const capture = { url: site.url('/watched'), format: 'pdf', store_path: 'reports/{date}-{time}.pdf' };
    await withWatch({ capture, compare: null }, async (id) => {
      const run = await runNow(id);
      expect(run).toMatchObject({ outcome: 'done', content_type: 'application/pdf' });
      const bytes = Buffer.from(await (await fetch(run.url)).arrayBuffer());
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      const names = await readdir(join(folder, 'data', 'storage', 'reports'));
      expect(names.find((name) => !name.startsWith('.'))).toMatch(/^\d{4}-\d\d-\d\d-\d\d-\d\d\.pdf$/);
    });
  });

  it('runs by its schedule', async () => {
    show = always('<p>Text</p>');
    await withWatch({ schedule: 'every 1 second' }, async (id) => {
      await eventually(async () => expect((await runsOf(id)).length).toBeGreaterThanOrEqual(3));
      await call('PATCH', `/watches/${id}`, { state: 'paused' });
      await settled(id);
      const { length } = await runsOf(id);
      expect((await call('GET', `/watches/${id}`)).json).toMatchObject({ state: 'paused', paused_by: 'client' });
      expect(await runNow(id)).toMatchObject({ outcome: 'same' }); // by hand, also while it is paused
      expect(await runsOf(id)).toHaveLength(length + 1);
    });
  });

  it('refuses a second run while one is going', async () => {
    show = always('<p>Text</p>');
    await withWatch({ capture: { url: site.url('/watched'), delay_capture: 700 } }, async (id) => {
      expect((await call('POST', `/watches/${id}/run`)).status).toBe(202);
      const { status, json: error } = await call('POST', `/watches/${id}/run`);
      expect([status, error.error_type]).toEqual([409, 'JobNotFinishedError']);
      await settled(id);
    });
  });

  it('starts again without a baseline after an edit, and without a false change', async () => {
    show = (n) => ({ body: `<p>Page ${n > 1 ? 'two' : 'one'}</p>` });
    await withWatch({}, async (id) => {
      const { json: changed } = await call('PATCH', `/watches/${id}`, {
        capture: { url: site.url('/watched?other'), ...SMALL },
      });
      expect(changed.baseline_run).toBeUndefined();
      expect(await runNow(id)).toMatchObject({ outcome: 'first' });
      const { json: renamed } = await call('PATCH', `/watches/${id}`, {
        label: 'Renamed',
        keep: 5,
        schedule: 'every 2 hours',
      });
      expect(renamed).toMatchObject({ label: 'Renamed', keep: 5, schedule: 'every 2 hours' });
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
    });
  });

  it('shows no secret', async () => {
    show = always('<p>Text</p>');
    const secret = 'secret-of-the-page';
    const capture = {
      url: `${site.url('/watched').replace('://', `://reader:${secret}@`)}?token=${secret}`,
      custom_headers: { 'X-Key': secret },
      cookies: [{ name: 'session', value: secret }],
      custom_js: `window.key = '${secret}'`,
      ...SMALL,
    };
    const hook = `${site.url('/hook').replace('://', `://reader:${secret}@`)}?token=${secret}`;
    await withWatch({ capture, webhook_url: hook }, async (id) => {
      const shown = await Promise.all([
        call('GET', '/watches'),
        call('GET', `/watches/${id}`),
        call('GET', `/watches/${id}/runs`),
      ]);
      expect(JSON.stringify(shown.map((answer) => answer.json))).not.toContain(secret);
      expect(shown[1]?.json.capture).toMatchObject({ custom_headers: '***', cookies: '***', custom_js: '***' });
      expect(shown[1]?.json.webhook_url).toBe(`${new URL(site.url('/')).origin}/***`);
      expect(service.output()).not.toContain(secret);
    });
  });

  it('holds no more watches than WATCH_MAX', async () => {
    show = always('<p>Text</p>');
    const body = { capture: { url: site.url('/watched'), ...SMALL }, schedule: NEVER };
    const added = await Promise.all(Array.from({ length: 13 }, () => call('POST', '/watches', body)));
    expect(added.filter(({ status }) => status === 201)).toHaveLength(12);
    const refused = added.find(({ status }) => status === 409);
    expect(refused?.json).toMatchObject({ error_type: 'WatchLimitError', error_details: 'WATCH_MAX is 12' });
    await Promise.all(added.flatMap(({ json: watch }) => (watch.id ? [call('DELETE', `/watches/${watch.id}`)] : [])));
  });

  it('can be read by agents, each within its scopes', async () => {
    show = always('<p>One</p>');
    await withWatch({ label: 'Prices' }, async (id) => {
      show = always('<p>Two</p>');
      await runNow(id);
      await using agent = await connectAgent(service.url, { token: TOKENS['default'] ?? '' });
      const textOf = async (name: string, args: object): Promise<string> =>
        JSON.stringify((await agent.call(name, { ...args })).content);
      expect(await textOf('list_watches', {})).toContain(`${id} changed, next `);
      expect(await textOf('read_watch', { watch: id })).toMatch(/outcome.{5}changed.*before.{5}One.*after.{5}Two/);
      expect(await textOf('read_watch', { watch: 'none' })).toContain('There is no watch with this id');
      expect(await textOf('read_watch', {})).toContain('watch: must be a text');
    });
  });

  it('can be controlled on the command line', async () => {
    show = always('<p>One</p>');
    const environment = { CAPTURE_SERVICE: service.url, CAPTURE_TOKEN: TOKENS['default'] ?? '' };
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, output, errors } = await runCommand(['watch', ...args], { folder, environment });
      expect([args[0], code, errors]).toEqual([args[0], 0, '']);
      return output.toString('utf8');
    };
    const added = await run(
      'add',
      site.url('/watched'),
      '--schedule',
      NEVER,
      '--ignore',
      '.clock',
      '--window-width',
      '300',
      '--label',
      'CLI',
    );
    const [id = ''] = added.split(' ');
    await settled(id);
    expect((await call('GET', `/watches/${id}`)).json).toMatchObject({
      label: 'CLI',
      compare: { ignore: [{ selector: '.clock' }] },
      capture: { window_width: 300 },
    });
    show = always('<p>Two</p>');
    await run('run', id);
    await settled(id);
    expect(await run('show', id)).toMatch(/changed .*\n {4}changed .* body > p:nth-of-type\(1\): One -> Two/);
    expect(await run('pause', id)).toContain('paused');
    expect(await run('resume', id)).toContain('next 20');
    expect(await run('list')).toContain(`${id}  changed`);
    expect(await run('remove', id)).toBe('');
    const { code, errors } = await runCommand(['watch', 'add', 'example.com'], { folder, environment });
    expect([code, errors]).toEqual([2, expect.stringContaining('The schedule is missing')]);
  });

  it('belongs to its key', async () => {
    show = always('<p>Text</p>');
    const body = { capture: { url: site.url('/watched'), ...SMALL }, schedule: NEVER };
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
      'capture: custom_js: is hidden',
    ],
    ['a private page', { capture: { url: 'http://10.0.0.1/' } }, ''],
    [
      'a path out of the storage',
      { capture: { url: 'https://a.example/', store_path: '../{date}.png' } },
      'capture: store_path',
    ],
  ])('refuses %s', async (_what, fields, details) => {
    const { status, json: error } = await call('POST', '/watches', {
      capture: { url: site.url('/watched') },
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
