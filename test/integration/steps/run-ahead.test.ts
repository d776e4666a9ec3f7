import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { COLOUR, toCss } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { LATER, laterPath, NEVER } from '../../support/pages/later.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const LEAD_MS = 6_000;

describe('page time', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const colourOf = async (fields: Readonly<Record<string, unknown>>): Promise<readonly number[]> => {
    const { status, body } = await capture(service.url, fields);
    expect({ status, text: status === 200 ? '' : body.toString() }).toEqual({ status: 200, text: '' });
    return (await readPicture(body)).pixel(600, 400).slice(0, 3);
  };

  it.each(Object.keys(LATER))('runs ahead until content that waits for %s appears', async (what) => {
    expect(await colourOf({ url: site.url(laterPath(what)) })).toEqual(COLOUR.green);
  });

  it.each(Object.keys(NEVER))('does not treat %s as a pending request', async (what) => {
    const { status, headers } = await capture(service.url, { url: site.url(laterPath(what)) });

    expect([status, headers.get('x-capture-warnings')]).toEqual([200, null]);
  });

  it.each(['a timer', 'an animation by the stamps of its frames'])(
    'runs ahead for full pages and pdf, too: %s',
    async (what) => {
      const url = site.url(laterPath(what));

      expect(await colourOf({ url, full_page: true })).toEqual(COLOUR.green);
    },
  );

  it('runs ahead in cross-site frames', async () => {
    expect(await colourOf({ url: site.url('/later/of-another-site') })).toEqual(COLOUR.green);
  });

  // A patient visitor sees their end, which 2.5 s of page time did not reach.
  it.each([
    [
      'an intro of 5 s',
      'const start = performance.now(); const step = () => { if (performance.now() - start < 5_000) requestAnimationFrame(step); else done(); }; step();',
    ],
    ['a script that replaces the body with itself', 'document.body.innerHTML = "<p>Text"; setTimeout(done, 600);'],
    ['a message that goes away after 3.5 s', 'setTimeout(done, 3_500);'],
    [
      'a dialog that fades in after 2.4 s',
      'let share = 0; setTimeout(() => { const fade = setInterval(() => { share += 0.02; if (share >= 1) { clearInterval(fade); done(); } }, 13); }, 2_400);',
    ],
  ])('shows the end of %s', async (_what, script) => {
    const html_content = `<html style="background: ${toCss(COLOUR.red)}"><body><script>const done = () => { document.documentElement.style.background = '${toCss(COLOUR.green)}'; }; ${script}</script>`;

    expect(await colourOf({ html_content })).toEqual(COLOUR.green);
  });

  const TYPED = 'let left = 200; setInterval(() => { if (left-- > 0) line.textContent += "word "; }, 50);';
  it.each<[string, string, Readonly<Record<string, unknown>>, string | null]>([
    ['text that is typed for 10 s', TYPED, {}, 'still_changing'],
    ['the same text below the window', `line.style.marginTop = '5000px'; ${TYPED}`, {}, null],
    ['the same text with enough page time', TYPED, { run_ahead: 12_000 }, null],
    [
      'a line that comes each 300 ms',
      'setInterval(() => document.body.append(document.createElement("hr")), 300);',
      {},
      'still_changing',
    ],
    [
      'a half transparent line',
      'let share = 0; setInterval(() => { line.style.opacity = share += 0.005; }, 50);',
      { run_ahead: 2_500 },
      'still_changing',
    ],
    ['a clock', 'setInterval(() => { line.textContent = new Date().toISOString(); }, 100);', {}, null],
    [
      'a line that moves for ever',
      'setInterval(() => { line.style.marginLeft = `${performance.now() % 100}px`; }, 50);',
      {},
      null,
    ],
    [
      'text that is finished after 4 s',
      'let left = 80; setInterval(() => { if (left-- > 0) line.textContent += "word "; }, 50);',
      {},
      null,
    ],
  ])('warns of a page that is still changing only: %s', async (_what, script, fields, warning) => {
    const { headers } = await capture(service.url, {
      html_content: `<p id="line">A line</p><script>${script}</script>`,
      ...fields,
    });

    expect(headers.get('x-capture-warnings')).toBe(warning);
  });

  it('does not run ahead if disabled', async () => {
    const url = site.url(laterPath('a timer'));

    expect(await colourOf({ url, run_ahead: 0 })).toEqual(COLOUR.red);
  });

  it('runs ahead no further than requested', async () => {
    const url = site.url(laterPath('a timer'));

    expect(await colourOf({ url, run_ahead: 300 })).toEqual(COLOUR.red);
  });

  it('continues at the pace of the real clock: a later delay is a delay for the page, too', async () => {
    const url = site.url(laterPath('a timer'));

    expect(await colourOf({ url, run_ahead: 300, delay_capture: 2_000 })).toEqual(COLOUR.green);
  });

  // The time of the new document ended too soon in every seventh capture.
  it.each([150, 275, 400, 525])('follows a page that navigates meanwhile, after %i ms', async (ms) => {
    const next = site.url(laterPath('a timer'));
    const html_content = `<script>setTimeout(() => { location = '${next}'; }, ${ms});</script>`;

    expect(await colourOf({ html_content })).toEqual(COLOUR.green);
  });

  it('has its own entry in Server-Timing', async () => {
    const { headers } = await capture(service.url, { url: site.url(laterPath('a timer')) });

    expect(headers.get('server-timing')).toMatch(/\bahead;dur=\d/);
  });

  // Page time had run ahead by more than a minute, so such a session expired in the page.
  it('does not expire a session that lasts a minute and is polled throughout', async () => {
    const html_content = `<script>
      const ends = ${Date.now() + 60_000};
      let ticks = 0;
      setInterval(() => {
        const colour = Date.now() > ends ? '#ff0000' : ticks++ < 15 ? '#ffffff' : '${toCss(COLOUR.green)}';
        document.documentElement.style.background = colour;
      }, 100);
    </script>`;

    expect(await colourOf({ html_content })).toEqual(COLOUR.green);
    expect(await colourOf({ html_content, delay_capture: 2_000 })).toEqual(COLOUR.green);
  });

  it('is the same on every clock of the page, and ahead by no more than granted', async () => {
    const script = `setInterval(() => { document.title = JSON.stringify([Date.now(), performance.timeOrigin + performance.now(), Date.now(),
      new Date().getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone]); }, 10);`;
    const before = Date.now();
    const { body } = await capture(service.url, {
      html_content: `<script>${script}</script>`,
      format: 'html',
      timezone: 'Asia/Tokyo',
    });
    const after = Date.now();

    const [, shown = '[]'] = /<title>(.*?)<\/title>/.exec(body.toString()) ?? [];
    const [date, time, dateAfter, offset, zone] = z
      .tuple([z.number(), z.number(), z.number(), z.number(), z.string()])
      .parse(JSON.parse(shown));
    expect(date).toBeGreaterThan(before);
    expect(date - after).toBeLessThan(LEAD_MS + 100); // the interval of the page adds up to this
    expect(time).toBeGreaterThan(date - 100);
    expect(time).toBeLessThan(dateAfter + 100);
    expect([offset, zone]).toEqual([-540, 'Asia/Tokyo']);
  });

  it('shows a full page without side effects: no resize, no media query, no transition', async () => {
    const html_content = `<style>body { margin: 0; height: 3000px; transition: margin-left 1s } @media (max-width: 900px) { body { margin-left: 300px } }</style>
<body><script>
  let seen = 0;
  const see = () => { seen++; document.documentElement.style.background = '#f00'; };
  document.documentElement.style.background = '#00a000';
  addEventListener('resize', see);
  visualViewport.addEventListener('resize', see);
  matchMedia('(max-width: 900px)').addEventListener('change', see);
  document.addEventListener('transitionrun', see);
  new ResizeObserver(() => { if (seen++ > 0) see(); }).observe(document.documentElement);
</script>`;
    const { body } = await capture(service.url, { html_content, full_page: true });
    const picture = await readPicture(body);

    expect([picture.width, picture.height]).toEqual([1280, 3000]);
    expect(picture.pixel(600, 2_900).slice(0, 3)).toEqual(COLOUR.green);
  });
});
