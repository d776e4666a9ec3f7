import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { childrenWith } from '../../support/processes.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { createJobId } from '../../../src/parts/jobs/job-id.ts';

type Fields = Readonly<Record<string, unknown>>;

const shop = (price: string, more = ''): string => `<!doctype html><title>Shop</title>${more}
<style>body { font: 16px sans-serif } .card { border: 1px solid #999; margin: 10px; padding: 10px; width: 300px }</style>
<h1>Shop</h1><div class="card"><h2>Tea</h2><p>Price: <b id="price">${price}</b></p></div>
<div class="card"><h2>Coffee</h2><p>Price: <b>4.20</b></p></div><p class="end">The end of the page.</p>`;
const WINDOW = { window_width: 500, window_height: 400 };
const side = (html_content: string, fields: Fields = {}): Fields => ({
  capture: { html_content, ...WINDOW, ...fields },
});
const BANNER = '<div id="banner" style="background: gold; height: 60px">Sale</div>';
const png = async (width: number, height: number): Promise<Fields> => {
  const made = sharp({ create: { width, height, channels: 3, background: '#fff' } });
  return { base64: (await made.png().toBuffer()).toString('base64') };
};

/** A picture in which every pixel is another, and no row is found elsewhere. */
const noise = async (seed: number): Promise<Fields> => {
  const data = Buffer.alloc(1_000 * 4_000 * 3);
  for (let index = 0, value = seed; index < data.length; index++) {
    value = (Math.imul(value, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    data[index] = value >> 16;
  }
  const made = sharp(data, { raw: { width: 1_000, height: 4_000, channels: 3 } });
  return { base64: (await made.webp({ quality: 50 }).toBuffer()).toString('base64') };
};

describe('POST /compare', () => {
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite(),
      startService({ MAX_PIXELS: '4000000' }, { stores: true }),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), site.close()]));

  const post = async (path: string, body: object) => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const json: Fields & {
      readonly id: string;
      readonly picture?: { readonly content_type: string; readonly base64: string };
      readonly error_type?: string;
      readonly error_details?: string;
    } = await answer.json();
    return { status: answer.status, json };
  };
  const compare = async (before: Fields, after: Fields, more: Fields = {}) =>
    await post('/compare', { before, after, ...more });

  it('finds nothing in two captures of one page', async () => {
    const { status, json } = await compare(side(shop('3.50')), side(shop('3.50')));

    const size = { width: 500, height: 400 };
    expect([status, json]).toEqual([
      200,
      { changed: false, ratio: 0, pixels: 0, before: size, after: size, regions: [] },
    ]);
  });

  it('names the element that changed, with its text before and after', async () => {
    const { json } = await compare(side(shop('3.50')), side(shop('3.90')));

    expect(json).toMatchObject({
      changed: true,
      regions: [{ kind: 'changed', selector: '#price', before: '3.50', after: '3.90' }],
    });
    expect(json['ratio']).toBe(Number(json['pixels']) / 200_000);
  });

  it.each([
    ['the whole page', { full_page: true }],
    ['a density of 2', { full_page: true, pixel_density: 2 }],
    ['an element', { selector: '.card' }],
    ['a part of the page', { clip: { x: 5, y: 40, width: 400, height: 200 } }],
  ])('names it in captures of %s', async (_what, fields) => {
    const { json } = await compare(side(shop('3.50'), fields), side(shop('3.90'), fields));

    expect(json['regions']).toMatchObject([{ selector: '#price' }]);
  });

  it('shows a banner as one region, and leaves out what slid', async () => {
    const whole = { full_page: true };

    const { json } = await compare(side(shop('3.50'), whole), side(shop('3.50', BANNER), whole));

    expect(json['regions']).toEqual([
      { x: 8, y: 8, width: 484, height: 60, kind: 'added', selector: '#banner', after: 'Sale' },
    ]);
  });

  it.each([
    ['a selector', [{ selector: '#price' }]],
    ['a selector with several matches', [{ selector: 'b' }]],
    ['a box', [{ x: 0, y: 140, width: 500, height: 60 }]],
  ])('ignores %s', async (_what, ignore) => {
    const { json } = await compare(side(shop('3.50')), side(shop('3.90')), { ignore });

    expect(json['changed']).toBe(false);
  });

  it.each(['png', 'webp'])('marks the regions on a %s of the later capture', async (format) => {
    const { json } = await compare(side(shop('3.50')), side(shop('3.90')), { format });

    const [{ x, y, width }] = z
      .tuple([z.object({ x: z.number(), y: z.number(), width: z.number() })])
      .parse(json['regions']);
    const marked = sharp(Buffer.from(json.picture?.base64 ?? '', 'base64'));
    const frame = await marked
      .clone()
      .extract({ left: x, top: y - 4, width, height: 3 })
      .png()
      .toBuffer();
    const { channels } = await sharp(frame).stats();
    const [red, , blue] = channels.map(({ mean }) => mean);
    expect(json.picture?.content_type).toBe(`image/${format}`);
    expect(await marked.metadata()).toMatchObject({ width: 500, height: 400, format });
    expect((red ?? 0) - (blue ?? 0)).toBeGreaterThan(60); // the red frame
  });

  it('compares stored results, jobs and pictures', async () => {
    const fields = { html_content: shop('3.50'), ...WINDOW };
    const stored = await capture(service.url, { ...fields, store: true, store_path: 'pages/shop.png' });
    const { json: job } = await post('/jobs', { capture: fields });
    await eventually(async () => {
      if ((await fetch(`${service.url}/jobs/${job.id}/result`)).status !== 200) throw new Error('not finished');
    });
    const sides = [{ stored: 'pages/shop.png' }, { job: job.id }, { base64: stored.body.toString('base64') }];

    for (const before of sides) {
      const same = await compare(before, side(shop('3.50')));
      const other = await compare(before, side(shop('3.90')));
      expect([same.json['changed'], other.json['changed']]).toEqual([false, true]);
    }
  });

  it.each(['jpeg', 'webp', 'avif'] as const)('reads a picture as %s', async (format) => {
    const made = sharp({ create: { width: 50, height: 40, channels: 3, background: '#fff' } });
    const base64 = (await made.toFormat(format).toBuffer()).toString('base64');

    const { json } = await compare({ base64 }, { base64 });

    expect(json).toMatchObject({ changed: false, before: { width: 50, height: 40 } });
  });

  it('shows the facts of captures', async () => {
    const page = { capture: { url: site.url('/status/404'), ...WINDOW } };

    const { json } = await compare(page, page);

    expect(json['after']).toMatchObject({ target_status: 404, target_url: site.url('/status/404') });
  });

  it('compares different widths with align none alone', async () => {
    const [small, large] = [await png(100, 100), await png(120, 110)];

    const rows = await compare(small, large);
    const none = await compare(small, large, { align: 'none' });

    expect([rows.status, rows.json.error_type]).toEqual([400, 'NotComparableError']);
    expect(rows.json.error_details).toMatch(/before is 100 px wide, after 120 px/);
    expect(none.json['regions']).toMatchObject([{ kind: 'added' }, { kind: 'added' }]);
  });

  it.each<[string, Fields, number, string, RegExp]>([
    ['no side', {}, 400, 'ValidationError', /^after: must be an object with one of capture/],
    [
      'two sides in one',
      { stored: 'a.png', job: 'x' },
      400,
      'ValidationError',
      /^after: must be an object with one of/,
    ],
    ['an unknown field', side('x', { widow: 1 }), 400, 'ValidationError', /^after: widow: is not a known field/],
    ['a forbidden address', { capture: { url: 'http://10.0.0.1/' } }, 400, 'DestinationNotAllowedError', /^after/],
    ['a missing element', side('x', { selector: '#none' }), 400, 'ElementNotFoundError', /^after/],
    ['text', { base64: 'aGVsbG8=' }, 400, 'NotComparableError', /^after: is no png, jpeg, webp or avif/],
    [
      'a damaged picture',
      { base64: 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAA' },
      400,
      'NotComparableError',
      /^after: is /,
    ],
    ['a path without a file', { stored: 'none.png' }, 404, 'NotFoundError', /^after/],
    ['a path that is none', { stored: '../keys.json' }, 400, 'ValidationError', /^after: stored: must be a path/],
    ['an unknown job', { job: createJobId(Date.now()) }, 404, 'NotFoundError', /^after/],
  ])('refuses %s', async (_what, after, status, error_type, details) => {
    const answer = await compare(side(shop('3.50')), after);

    expect([answer.status, answer.json.error_type]).toEqual([status, error_type]);
    expect(answer.json.error_details).toMatch(details);
  });

  it('refuses a job that has not finished', async () => {
    const { json: job } = await post('/jobs', { capture: { url: site.url('/never-idle'), delay_capture: 20_000 } });

    const { status, json } = await compare(side('x'), { job: job.id });
    await fetch(`${service.url}/jobs/${job.id}`, { method: 'DELETE' });

    expect([status, json.error_type]).toEqual([409, 'JobNotFinishedError']);
    expect(json.error_details).toMatch(/^after: The job is (?:queued|running)/);
  });

  it('refuses a picture above MAX_PIXELS by its header alone', async () => {
    const { status, json } = await compare(await png(3_000, 2_000), side('x'));

    expect([status, json.error_type]).toEqual([400, 'NotComparableError']);
    expect(json.error_details).toBe('before: has 3000 x 2000 pixels, of at most 4000000');
  });

  // Selectors of all elements, each with the id of 300,000 characters, ended the service.
  it.each([
    ['id', `<div id="${'a'.repeat(300_000)}" style="height:50px;background:COLOUR">${'<i></i>'.repeat(9_000)}</div>`],
    ['name', `<x-${'a'.repeat(9_000)} style="display:block;height:50px;background:COLOUR">${'<i></i>'.repeat(9_000)}`],
  ])('compares pages with an element whose %s is long', async (_what, markup) => {
    const { status, json } = await compare(
      side(markup.replace('COLOUR', 'red')),
      side(markup.replace('COLOUR', 'blue')),
    );

    expect(status).toBe(200);
    expect(json['regions']).toMatchObject([{ selector: expect.stringMatching(/^body > \S{1,30}$/) }]);
  });

  it('opens no other formats than those of pictures', async () => {
    const svg = gzipSync('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64');

    const { json } = await compare(await png(10, 10), { base64: svg });

    expect(json.error_details).toBe('after: is no png, jpeg, webp or avif');
  });

  it('compares again when the system has killed the process of comparisons', async () => {
    await compare(await png(10, 10), await png(20, 20), { align: 'none' });
    const pid = childrenWith(service.pid, 'compare-process')[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    const comparing = compare(await png(10, 10), await png(10, 10));
    await delay(100);
    process.kill(pid, 'SIGKILL');

    expect((await comparing).json).toMatchObject({ changed: false });
  });

  it('compares a page of nested elements whose texts contain each other', async () => {
    const nested = `<script>let at = document.body; for (let depth = 0; depth < 3_000; depth++) {
      const inner = document.createElement('div'); inner.append('x'.repeat(1_000)); at.append(inner); at = inner; }</script>`;
    const startedAt = performance.now();

    const { status } = await compare(side(nested), side(nested));

    expect(status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('ends a comparison that grows, without harm to the next one', async () => {
    const [before, after] = [await noise(1), await noise(2)];
    const startedAt = performance.now();
    const abandoned = await fetch(`${service.url}/compare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ before, after }),
      signal: AbortSignal.timeout(400),
    }).then(
      ({ status }) => status,
      ({ name }: Error) => name,
    );
    const next = await compare(await png(10, 10), await png(10, 10));

    expect([200, 'TimeoutError']).toContain(abandoned);
    expect([next.status, next.json['changed']]).toEqual([200, false]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('refuses a picture that is damaged, and one that is none', async () => {
    const { base64 } = await png(200, 200);
    const cut = Buffer.from(String(base64), 'base64').subarray(0, 60).toString('base64');
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64');

    const results = [await compare({ base64: cut }, { base64 }), await compare({ base64 }, { base64: svg })];

    expect(results.map(({ status, json }) => [status, json.error_type, json.error_details])).toEqual([
      [400, 'NotComparableError', expect.stringMatching(/^before: is (?:damaged|no png, jpeg, webp or avif)$/)],
      [400, 'NotComparableError', 'after: is no png, jpeg, webp or avif'],
    ]);
  });

  it('is counted in the metrics', async () => {
    await compare(await png(10, 10), await png(10, 10));
    const metrics = await (await fetch(`${service.url}/metrics`)).text();

    expect(metrics).toMatch(/^capture_service_comparison_seconds_count\{outcome="equal"\} [1-9]/m);
  });

  it('refuses an answer above MAX_RESULT_BYTES', async () => {
    await using small = await startService({ MAX_RESULT_BYTES: '10000' });
    const picture = await png(600, 600);
    const answer = await fetch(`${small.url}/compare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ before: picture, after: side(shop('3.50')), align: 'none', format: 'png' }),
    });

    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error_type: 'ResultTooLargeError' }),
    ]);
  });

  it('refuses a selector that is not valid', async () => {
    const { status, json } = await compare(side('x'), side('x'), { ignore: [{ selector: 'b' }, { selector: 'b[' }] });

    expect([status, json.error_type]).toEqual([400, 'ValidationError']);
    expect(json.error_details).toMatch(/^(?:before|after): ignore: "b\[" is not a valid CSS selector/);
  });

  it('compares a page that hides its elements from scripts', async () => {
    const hostile = '<script>Map.groupBy = undefined; Element.prototype.getBoundingClientRect = null</script>';

    const { json } = await compare(side(shop('3.50', hostile)), side(shop('3.90', hostile)));

    expect(json['regions']).toMatchObject([{ kind: 'changed' }]);
  });

  it.each<[Fields, RegExp]>([
    [{ ignore: [{ selector: 'b' }] }, /ignore: a selector needs a side that is a capture/],
    [{ ignore: [{ x: -1, y: 0, width: 1, height: 1 }] }, /^ignore/],
    [{ ignore: 'b' }, /^ignore: must be a list/],
    [{ threshold: 2 }, /^threshold: must be a number from 0 to 1/],
    [{ align: 'columns' }, /^align: must be rows or none/],
    [{ format: 'jpeg' }, /^format: must be png or webp/],
    [{ mask: [] }, /^mask: is not a known field/],
  ])('refuses %j', async (more, details) => {
    const picture = await png(10, 10);

    const { status, json } = await compare(picture, picture, more);

    expect([status, json.error_type]).toEqual([400, 'ValidationError']);
    expect(json.error_details).toMatch(details);
  });
});
