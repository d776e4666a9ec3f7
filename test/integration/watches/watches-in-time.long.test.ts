import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import {
  always,
  callsOf,
  NEVER,
  SMALL,
  startWatchedService,
  TOKENS,
  type WatchedService,
} from '../../support/watched-service.ts';

const lines = (n: number): string =>
  Array.from({ length: 1 + ((n * 7) % 3) }, (_, k) => `<p>Ad ${k} ${n}</p>`).join('');

describe('watches that take longer', () => {
  let world: WatchedService;
  beforeAll(async () => {
    world = await startWatchedService();
  });
  beforeEach(() => world.reset());
  afterAll(() => world[Symbol.asyncDispose]());
  const { call, settled, runsOf, runNow, withWatch } = callsOf(() => world);

  it('compares with what was accepted alone, if the client wants that', async () => {
    world.show = always('<p>One</p>');
    await withWatch({ baseline: 'accepted', webhook_url: world.site.url('/hook') }, async (id) => {
      world.show = always('<p>Two</p>');
      expect(await runNow(id)).toMatchObject({ outcome: 'changed' });
      const again = await runNow(id);
      expect(again).toMatchObject({ outcome: 'changed' });
      await eventually(() => expect(world.hooks).toHaveLength(1));

      const { status, json: watch } = await call('POST', `/watches/${id}/accept`);
      expect([status, watch.baseline_run]).toEqual([200, again.id]);
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
    });
  });

  it('keeps what was changed beside its change, and counts no skipped run among those that it keeps', async () => {
    world.show = always('<p>One</p>');
    await withWatch({ keep: 1, webhook_url: world.site.url('/hook') }, async (id) => {
      for (let count = 0; count < 3; count++) await runNow(id);
      world.show = always('<p>Two</p>');
      await runNow(id);
      await eventually(() => expect(world.hooks).toHaveLength(1));
      expect((await fetch(world.hooks[0].before_url)).status).toBe(200);
      await runNow(id);
      await runNow(id);
      await eventually(async () => {
        const outcomes = (await runsOf(id)).map(({ outcome }) => outcome);
        expect(outcomes).toEqual(['same', 'changed']); // the baseline stays
      });
    });
    const slow = { url: world.site.url('/watched'), ...SMALL, delay_capture: 1_500 };
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
    world.show = always('<p>Text</p>');
    await withWatch(
      { capture: { url: world.site.url('/watched'), delay_capture: 5_000 }, schedule: NEVER },
      async (id) => {
        const { json: run } = await call('POST', `/watches/${id}/run`);
        await call('DELETE', `/jobs/${run.id}`);
        const watch = await settled(id);
        expect(watch.last_run).toMatchObject({
          id: run.id,
          outcome: 'failed',
          error: { message: 'The job of this run was cancelled' },
        });
        await Promise.all(
          [{ label: 'New' }, { keep: 7 }, { notify: 'always' }].map((change) =>
            call('PATCH', `/watches/${id}`, change),
          ),
        );
        expect((await call('GET', `/watches/${id}`)).json).toMatchObject({ label: 'New', keep: 7, notify: 'always' });
      },
    );
  });

  it('tells nobody of lines that come and go, and of no blank ones', async () => {
    world.show = (n) => ({ body: `<h1>Head</h1><p>Price 10</p><p>Text</p><p>More text</p>${lines(n)}<p>Foot</p>` });
    const capture = { url: world.site.url('/watched'), format: 'markdown', main_content: false };
    await withWatch({ capture }, async (id) => {
      for (let count = 0; count < 3; count++) expect(await runNow(id)).toMatchObject({ outcome: 'same' });
      world.show = (n) => ({ body: `<h1>Head</h1><p>Price 11</p><p>Text</p><p>More text</p>${lines(n)}<p>Foot</p>` });
      const { outcome, comparison } = await runNow(id);
      expect([outcome, comparison.changes]).toEqual([
        'changed',
        [{ kind: 'changed', line: 3, before: 'Price 10', after: 'Price 11' }],
      ]);
    });
  });

  it('leaves out what the client ignores, and changes below `min_ratio`', async () => {
    world.show = (n) => ({ body: `<p>Text</p><p class="clock">${n * 1111}</p>` });
    await withWatch({ compare: { ignore: [{ selector: '.clock' }] }, confirm: 1 }, async (id) => {
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
      await call('PATCH', `/watches/${id}`, { compare: { min_ratio: 0.5 } });
      expect(await runNow(id)).toMatchObject({ outcome: 'first' });
      expect(await runNow(id)).toMatchObject({ outcome: 'same' });
    });
  });

  it('runs by its schedule', async () => {
    world.show = always('<p>Text</p>');
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
    world.show = always('<p>Text</p>');
    await withWatch({ capture: { url: world.site.url('/watched'), delay_capture: 700 } }, async (id) => {
      expect((await call('POST', `/watches/${id}/run`)).status).toBe(202);
      const { status, json: error } = await call('POST', `/watches/${id}/run`);
      expect([status, error.error_type]).toEqual([409, 'JobNotFinishedError']);
      await settled(id);
    });
  });

  it('starts again without a baseline after an edit, and without a false change', async () => {
    world.show = (n) => ({ body: `<p>Page ${n > 1 ? 'two' : 'one'}</p>` });
    await withWatch({}, async (id) => {
      const { json: changed } = await call('PATCH', `/watches/${id}`, {
        capture: { url: world.site.url('/watched?other'), ...SMALL },
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

  it('can be controlled on the command line', async () => {
    world.show = always('<p>One</p>');
    const environment = { CAPTURE_SERVICE: world.service.url, CAPTURE_TOKEN: TOKENS['default'] ?? '' };
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, output, errors } = await runCommand(['watch', ...args], { folder: world.folder, environment });
      expect([args[0], code, errors]).toEqual([args[0], 0, '']);
      return output.toString('utf8');
    };
    const added = await run(
      'add',
      world.site.url('/watched'),
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
    world.show = always('<p>Two</p>');
    await run('run', id);
    await settled(id);
    expect(await run('show', id)).toMatch(/changed .*\n {4}changed .* body > p:nth-of-type\(1\): One -> Two/);
    expect(await run('pause', id)).toContain('paused');
    expect(await run('resume', id)).toContain('next 20');
    expect(await run('list')).toContain(`${id}  changed`);
    expect(await run('remove', id)).toBe('');
    const { code, errors } = await runCommand(['watch', 'add', 'example.com'], { folder: world.folder, environment });
    expect([code, errors]).toEqual([2, expect.stringContaining('The schedule is missing')]);
  });
});
