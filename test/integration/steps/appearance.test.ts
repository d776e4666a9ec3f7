import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR } from '../../support/colour.ts';
import { invalid, readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { FRAMES_PAGE } from '../../support/pages/frames.ts';
import { MOVING_PAGE, VIDEO_PAGE } from '../../support/pages/moving.ts';
import { COLOURS_PAGE, CSS_PAGE } from '../../support/pages/plain.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const WHITE = [255, 255, 255] as const;
const DARK = [18, 18, 18] as const; // Chrome's ground of dark pages
const { field, ...BOXES } = MOVING_PAGE;

describe('the appearance of a page', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });
  const pictureOf = async (path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Picture> =>
    readPicture((await captureOf(path, fields)).body);
  const colourAt = async (
    [x, y]: readonly [number, number],
    path: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<readonly number[]> => (await pictureOf(path, fields)).pixel(x, y).slice(0, 3);

  it.each(Object.entries(BOXES))('freezes %s', async (_name, { x, y, colour }) => {
    expect(await colourAt([x + 50, y + 50], '/moving')).toEqual(colour);
  });

  it('hides the text cursor', async () => {
    const picture = await pictureOf('/moving');

    const line = Array.from({ length: field.width }, (_, x) => picture.pixel(field.x + x, field.y + 50));
    expect(line.filter((pixel) => pixel.join() !== '255,255,255,255')).toEqual([]);
  });

  it('shows a video at its first frame, even after it has played', async () => {
    const picture = await pictureOf('/video', { wait_for_function: 'window.ended' });

    expectColour(picture, VIDEO_PAGE.x + 50, VIDEO_PAGE.y + 50, VIDEO_PAGE.first);
    expect(picture.width).toBe(1280);
  });

  it('is identical to the byte on each capture', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => captureOf('/moving')));

    expect(others.map(({ body }) => first?.body.equals(body))).toEqual([true, true, true]);
  });

  it('keeps animations running with disable_animations=false', async () => {
    const picture = await pictureOf('/moving', { disable_animations: false });

    expect(picture.pixel(BOXES.finite.x + 50, 50)).not.toEqual([...BOXES.finite.colour, 255]);
  });

  it('freezes animations with JavaScript disabled', async () => {
    const colour = await colourAt([BOXES.finite.x + 50, 50], '/moving', { javascript: false });

    expect(colour).toEqual(BOXES.finite.colour);
  });

  it('hides elements that match hide_selectors, also in frames, and keeps the markup', async () => {
    const fields = { hide_selectors: ['div', 'no-such-element'] };
    const [picture, answer] = await Promise.all([
      pictureOf('/frames', fields),
      captureOf('/frames', { ...fields, format: 'html' }),
    ]);

    expectColour(picture, FRAMES_PAGE.same.x + 50, 50, WHITE);
    expectColour(picture, FRAMES_PAGE.cross.x + 50, 50, FRAMES_PAGE.cross.colour);
    expect(answer.body.toString()).not.toContain('display: none');
  });

  it('refuses an invalid selector and names its index in the list', async () => {
    const answer = await captureOf('/colours', { hide_selectors: ['p', 'p['] });

    expect(readError(answer)).toEqual(invalid('hide_selectors[1]: must be a valid CSS selector'));
  });

  it('applies custom_css despite the content security policy of the page', async () => {
    const fields = { custom_css: 'html { background: #00f !important }' };

    expect(await colourAt([700, 500], '/strict-policy', fields)).toEqual(COLOUR.blue);
  });

  it('applies custom_css to supplied markup', async () => {
    const { body } = await capture(service.url, {
      html_content: '<p>x',
      custom_css: 'html { background: #0f0 }',
    });

    expect((await readPicture(body)).pixel(700, 500)).toEqual([0, 255, 0, 255]);
  });

  it('hides elements of a document that the page navigates to later', async () => {
    const picture = await pictureOf('/colours', {
      hide_selectors: ['div'],
      custom_js: `if (!location.hash) { location.href = '/colours?again#there'; }`,
    });

    expect(picture.pixel(50, 50)).toEqual([...WHITE, 255]);
  });

  it.each([
    ['screen', CSS_PAGE.screen.colour],
    ['print', CSS_PAGE.print.colour],
  ])('applies media_type %s', async (media_type, colour) => {
    expect(await colourAt([CSS_PAGE.screen.x + 50, 50], '/css', { media_type })).toEqual(colour);
  });

  it.each([
    [{ dark_mode: true }, '(prefers-color-scheme: dark)'],
    [{ dark_mode: false }, '(prefers-color-scheme: light)'],
    [{ reduced_motion: true }, '(prefers-reduced-motion: reduce)'],
    [{ reduced_motion: false }, '(prefers-reduced-motion: no-preference)'],
  ])('matches %s with %j', async (fields, query) => {
    const css = `@media ${query} { html { background: #00f !important } }`;

    expect(await colourAt([700, 500], '/colours', { ...fields, custom_css: css })).toEqual(COLOUR.blue);
  });

  it.each([
    ['', WHITE],
    ['<meta name="color-scheme" content="light dark">', DARK],
  ])('shows markup with "%s" in dark mode on the ground that its text is made for', async (head, ground) => {
    const answer = await capture(service.url, {
      html_content: `<!doctype html>${head}<p>Hello`,
      dark_mode: true,
    });
    const picture = await readPicture(answer.body);

    expect(picture.pixel(300, 100)).toEqual([...ground, 255]);
  });

  it('does not change without any of the fields', async () => {
    expect(await colourAt([50, 50], '/colours')).toEqual(COLOURS_PAGE.red.colour);
  });
});
