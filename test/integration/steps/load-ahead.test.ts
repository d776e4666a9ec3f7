import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { type Routes, send, sendHtml } from '../../support/pages/exchange.ts';
import { expectColour, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const GREEN_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="400"><rect width="100" height="400" fill="#00a000"/></svg>`;
const LOADER = `<script>
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      if (target.dataset.src) target.src = target.dataset.src;
      else target.style.backgroundImage = 'url(' + target.dataset.bg + ')';
    }
  });
  for (const each of document.querySelectorAll('[data-src], [data-bg]')) seen.observe(each);
</script>`;
const WINDOW = { window_width: 480, window_height: 300 };

describe('pictures that a script loads when they come into view', () => {
  let site: FixtureSite;
  let service: SharedService;
  /** Answers the second picture. Called with the request for the fourth, two screens below. */
  let answerSecond: (() => void) | undefined;
  beforeAll(async () => {
    const moreRoutes: Routes = {
      '/list': ({ response, url }) => {
        const picture = (number: number): string =>
          url.searchParams.get('list') === 'backgrounds'
            ? `<div data-bg="/ahead/${number}.svg" style="height: 400px"></div>`
            : `<img data-src="/ahead/${number}.svg" style="display: block; height: 400px">`;
        const body = [1, 2, 3, 4, 5, 6].map(picture).join('');
        sendHtml(response, `<!doctype html><style>body { margin: 0 }</style>${body}${LOADER}`);
      },
      ...Object.fromEntries(
        [1, 2, 3, 4, 5, 6].map((number) => [
          `/ahead/${number}.svg`,
          ({ response }) => {
            const answer = (): void => {
              response.setHeader('cache-control', 'no-store');
              send(response, { type: 'image/svg+xml', body: GREEN_SVG });
            };
            if (number === 2) answerSecond = answer;
            else answer();
            if (number === 4) answerSecond?.();
          },
        ]),
      ),
    };
    [site, service] = await Promise.all([createFixtureSite({ moreRoutes }), sharedService()]);
  });
  afterAll(() => site.close());
  beforeEach(() => {
    answerSecond = undefined;
  });

  const captureOf = (list: string, fields: object = {}): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(`/list?list=${list}`), full_page: true, ...WINDOW, ...fields });

  it.each(['pictures', 'backgrounds'])('are requested some screens ahead, and once: %s', async (list) => {
    const requestsBefore = site.requests.length;
    const answer = await captureOf(list);

    expect(answer.headers.get('x-capture-warnings')).toBeNull();
    const requested = site.requests.slice(requestsBefore).map(({ path }) => path);
    const pictures = requested.filter((path) => path.startsWith('/ahead/'));
    expect(pictures.toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((number) => `/ahead/${number}.svg`));
    const picture = await readPicture(answer.body);
    for (let index = 0; index < 6; index++) expectColour(picture, 20, index * 400 + 200, [0, 160, 0]);
  });

  it('are not requested for a picture of the window', async () => {
    const requestsBefore = site.requests.length;
    await captureOf('pictures', { full_page: false });

    const requested = site.requests.slice(requestsBefore).map(({ path }) => path);
    expect(requested).not.toContain('/ahead/2.svg');
  });
});
