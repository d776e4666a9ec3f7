import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR, pictureOf, toCss, type Colour } from './colour.ts';
import { createFixtureSite, type FixtureSite } from './fixture-site.ts';
import { SLOW_PAGE, STATUS_PAGE } from './pages/answers.ts';
import { DOCUMENT_PAGE, FONTS_PAGE } from './pages/document.ts';
import { ELEMENT_PAGE, LATE_ELEMENT_PAGE } from './pages/elements.ts';
import { FRAMES_PAGE } from './pages/frames.ts';
import { HOSTILE_PAGE } from './pages/hostile.ts';
import { MEDIA_PAGE } from './pages/media.ts';
import { NETWORK_PAGE } from './pages/network.ts';
import { COLOURS_PAGE, CSS_PAGE, DPR_PAGE } from './pages/plain.ts';
import { LAZY_PAGE, TALL_PAGE } from './pages/scrolling.ts';
import { expectColour, readPicture } from './pixels.ts';

const UNANSWERED = ['/empty', '/never', '/drip', '/events', '/later/interrupted.js'];
const STATUS: Readonly<Record<string, number>> = {
  '/status/404': 404,
  '/status/500': 500,
  '/redirect/*': 302,
  '/redirect-loop': 302,
  '/redirect-to': 302,
  '/no-content': 204,
  '/own/picture': 302,
  '/foreign/*': 404,
  '/protected': 401,
  '/acting/session': 303,
  '/acting/nothing': 204,
  '/acting/missing': 404,
};
/** Replacements for the `*`. */
const REST: Readonly<Record<string, string>> = {
  '/redirect/*': '3',
  '/pictures/*': 'ff0000.png',
  '/photographs/*': '8.jpg',
};

describe('createFixtureSite', () => {
  let site: FixtureSite;
  beforeAll(async () => {
    site = await createFixtureSite();
  });
  afterAll(() => site.close());

  it('answers every page with its status', async () => {
    const paths = site.paths.filter((path) => !UNANSWERED.includes(path));

    const seen = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(site.url(path.replace('*', REST[path] ?? '')), { redirect: 'manual' });
        await response.arrayBuffer();
        return [path, response.status];
      }),
    );

    expect(seen).toEqual(paths.map((path) => [path, STATUS[path] ?? 200]));
  });

  it.each([
    ['/empty', 'fetch failed'],
    ['/never', 'aborted due to timeout'],
  ])('answers 404 at %s', async (path, message) => {
    await expect(fetch(site.url(path), { signal: AbortSignal.timeout(200) })).rejects.toThrow(message);
  });

  it('follows a chain of redirects to /colours', async () => {
    const response = await fetch(site.url('/redirect/3'));

    expect(response.url).toBe(site.url('/colours'));
  });

  const green = [NETWORK_PAGE.done, HOSTILE_PAGE.done, SLOW_PAGE].map((box) => box.colour);
  it.each<[path: string, colours: readonly Colour[]]>([
    ['/colours', Object.values(COLOURS_PAGE).map((box) => box.colour)],
    ['/css/site.css', [CSS_PAGE.linked.colour, CSS_PAGE.screen.colour, CSS_PAGE.print.colour]],
    ['/tall', [...TALL_PAGE.bands, TALL_PAGE.end].map((box) => box.colour)],
    ['/element', [ELEMENT_PAGE.card, ELEMENT_PAGE.far, ...ELEMENT_PAGE.many].map((box) => box.colour)],
    ['/late-element', [LATE_ELEMENT_PAGE.late.colour]],
    ['/slow-fetch', [NETWORK_PAGE.pending.colour, ...green]],
    ['/dialogs', [HOSTILE_PAGE.pending.colour, ...green]],
    ['/slow?ms=1', green],
    ['/document', [DOCUMENT_PAGE.box.colour]],
    ['/frames/same', [FRAMES_PAGE.same.colour]],
    ['/status/404', [STATUS_PAGE[404]]],
    ['/status/500', [STATUS_PAGE[500]]],
  ])('paints %s in the colours of its constants', async (path, colours) => {
    const text = await (await fetch(site.url(path))).text();

    for (const colour of colours) expect(text).toContain(toCss(colour));
  });

  it('gives every lazy picture a different colour', () => {
    const addresses = [...LAZY_PAGE.native, ...LAZY_PAGE.observed].map((box) => pictureOf(box.colour));

    expect(new Set(addresses).size).toBe(16);
    expect(LAZY_PAGE.height).toBe(7200);
    expect(DPR_PAGE.width).toBe(200);
  });

  it.each([...MEDIA_PAGE.files.pictures])('serves %s in one colour', async (path) => {
    const bytes = Buffer.from(await (await fetch(site.url(path))).arrayBuffer());

    const picture = await readPicture(bytes);

    const colour = Object.values(COLOUR).find((each) => path.includes(toCss(each).slice(1)));
    expect(picture.width).toBe(40);
    expectColour(picture, 20, 20, colour ?? COLOUR.white);
  });

  it('serves a font', async () => {
    const response = await fetch(site.url(FONTS_PAGE.file));

    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  });

  it('records every request with its headers', async () => {
    await fetch(site.url('/headers?case=notes'), { headers: { 'x-case': 'notes' } });

    const seen = site.requests.find((request) => request.path === '/headers?case=notes');

    expect(seen?.headers['x-case']).toBe('notes');
  });

  it('answers on another site, too', async () => {
    const response = await fetch(`${site.crossSiteOrigin}/plain`);

    expect(new URL(site.crossSiteOrigin).hostname).not.toBe(new URL(site.origin).hostname);
    expect(await response.text()).toContain('<h1>Hello</h1>');
  });

  it('closes although connections are open', async () => {
    const own = await createFixtureSite();
    const waiting = fetch(own.url('/never')).catch((error: unknown) => error);
    while (own.requests.length === 0) await delay(5);
    expect(own.openConnections()).toBe(1);

    await own.close();

    expect(await waiting).toBeInstanceOf(TypeError);
    expect(own.openConnections()).toBe(0);
  });
});
