import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR, pictureOf, toCss } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const ROUNDS = 5;
const WINDOW = { window_width: 300, window_height: 200 };
const TURN_GREEN = `document.documentElement.style.background = '${toCss(COLOUR.green)}'`;
const FRAME_WITHOUT_END = '<script>onload = () => requestAnimationFrame(() => { while (true); });</script>';

describe('the animation frames of a page', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  it('run while the page loads', async () => {
    const html_content = `<img src="${site.url('/answer-after?ms=700')}"><script>
      let hasLoaded = false;
      onload = () => { hasLoaded = true; };
      requestAnimationFrame(() => { if (!hasLoaded) ${TURN_GREEN}; });
    </script>`;

    expect(await countGreen({ html_content })).toBe(ROUNDS);
  });

  it('trigger content that loads near the viewport', async () => {
    const source = `${site.url(pictureOf(COLOUR.green))}?after=200`;
    const html_content = `<body style="margin: 0"><img loading="lazy" width="300" height="200" src="${source}">`;

    expect(await countGreen({ html_content })).toBe(ROUNDS);
  });

  it.each([
    ['a picture', 'document.body.append(image);'],
    ['a background', 'document.body.style.backgroundImage = `url(${image.src})`;'],
  ])('report the page as visible, so that it adds %s', async (_what, add) => {
    const html_content = `<body><script>
      new IntersectionObserver((_entries, observer) => {
        observer.disconnect();
        const image = new Image(100, 100);
        image.onerror = () => { ${TURN_GREEN}; };
        image.src = '${site.url('/answer-after?ms=300')}';
        ${add}
      }).observe(document.body);
    </script>`;

    expect(await countGreen({ html_content })).toBe(ROUNDS);
  });

  it('include the last change in the picture', async () => {
    expect(await countGreen({ html_content: '<p>line', custom_js: TURN_GREEN })).toBe(ROUNDS);
  });

  it('run on other pages while one page blocks its own frame', async () => {
    const client = new AbortController();
    const stuck = capture(service.url, { html_content: FRAME_WITHOUT_END }, { signal: client.signal });
    stuck.catch(() => undefined); // it is expected to fail

    expect(await countGreen({ html_content: '<p>line', custom_js: TURN_GREEN })).toBe(ROUNDS);

    client.abort();
    await expect(stuck).rejects.toThrow(/abort/);
  });

  async function countGreen(fields: Readonly<Record<string, unknown>>): Promise<number> {
    let green = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const answer = await capture(service.url, { ...WINDOW, ...fields });
      const colour = (await readPicture(answer.body)).pixel(150, 100).slice(0, 3);
      if (isDeepStrictEqual(colour, COLOUR.green)) green++;
    }
    return green;
  }
});
