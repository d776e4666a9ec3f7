import { deepEqual, equal, ok } from 'node:assert/strict';
import { COLOUR } from '../../support/colour.ts';
import { STATUS_PAGE } from '../../support/pages/answers.ts';
import { FONTS_PAGE } from '../../support/pages/document.ts';
import { expectColour } from '../../support/pixels.ts';
import { expectCaptured, expectRefused, expectScenery, readCapture } from '../expect.ts';
import type { CoveredPain, FidelityCase } from '../fidelity-case.ts';

const WINDOW = { window_width: 400, window_height: 300 } as const;
const AT_ONCE = 8;

/** Cases beyond a single page: isolation between pages, errors, headers and cookies of a request. */
export const SERVICE_CASES: readonly FidelityCase[] = [
  {
    id: 'service.parallel',
    title: `${AT_ONCE} concurrent pages with late web fonts are captured correctly, and none hangs`,
    request: { page: '/fonts', ...WINDOW },
    isAlone: true,
    check: async (answer, { capture }) => {
      const rest = Array.from({ length: AT_ONCE - 1 }, () => capture({ page: '/fonts', ...WINDOW }));
      const answers = [answer, ...(await Promise.all(rest))];
      const { x, y, colour } = FONTS_PAGE.block;
      for (const each of answers) {
        expectColour(await readCapture(each), x + 10, y + 10, colour);
        ok(each.elapsedMs < 10_000 * each.patience, `took ${Math.round(each.elapsedMs)} ms`);
      }
    },
  },
  {
    id: 'service.banner',
    title: 'The picture does not contain a banner that the request hides',
    request: { page: '/fidelity/fixed?height=2000', ...WINDOW, hide_selectors: ['div[style*="fixed"]'] },
    check: async (answer) => {
      await expectScenery(answer, { width: 400, height: 300, boxes: [] });
    },
  },
  {
    id: 'service.error-page',
    title: 'An error page is captured, and a header has its status',
    request: { page: '/status/404', ...WINDOW },
    check: async (answer) => {
      await expectScenery(answer, {
        width: 400,
        height: 300,
        boxes: [{ x: 0, y: 0, width: 200, height: 200, colour: STATUS_PAGE[404] }],
      });
      equal(answer.headers.get('x-target-status'), '404');
    },
  },
  {
    id: 'service.error-page-refused',
    title: 'With fail_on_http_error, an error page is an error',
    request: { page: '/status/500', ...WINDOW, fail_on_http_error: true },
    check: (answer) => expectRefused(answer, 500, 'NavigationError'),
  },
  ...['/download', '/fidelity/paper.pdf'].map((path): FidelityCase => ({
    id: `service.no-page-${path.slice(path.lastIndexOf('/') + 1)}`,
    title: `An address that is not a page (${path}) is an error that names the reason`,
    request: { page: path, ...WINDOW },
    check: (answer) => expectRefused(answer, 500, 'NavigationError'),
  })),
  {
    id: 'service.cookies',
    title: 'A request sends its cookies, and the next request does not have them',
    request: { page: '/set-cookie', format: 'html', cookies: [{ name: 'visited', value: '1' }] },
    check: async (answer, { capture }) => {
      expectCaptured(answer);
      ok(answer.body.includes('data-cookie="present"'), 'its own cookie did not arrive');
      const next = await capture({ page: '/set-cookie', format: 'html' });
      ok(next.body.includes('data-cookie="absent"'), 'the cookie of another request arrived');
    },
  },
  {
    id: 'service.headers',
    title: "Headers of a request are sent to the page's own site only",
    request: { page: '/frames?case=headers', ...WINDOW, custom_headers: { 'X-Case': 'fidelity' } },
    check: (answer, { site }) => {
      expectCaptured(answer);
      const headerOf = (path: string): unknown =>
        site.requests.findLast(
          (request) => request.path === path && request.headers.referer?.endsWith('?case=headers') !== false,
        )?.headers['x-case'];
      equal(headerOf('/frames?case=headers'), 'fidelity');
      const crossHost = new URL(site.crossSiteOrigin).host;
      const toOthers = site.requests.filter(
        ({ headers }) => headers.host === crossHost && headers['x-case'] !== undefined,
      );
      deepEqual(
        toOthers.map(({ path }) => path),
        [],
      );
    },
  },
  {
    id: 'service.density',
    title: 'Lines of one CSS pixel are sharp at density 3',
    request: { page: '/dpr', ...WINDOW, pixel_density: 3 },
    check: async (answer) => {
      const picture = await readCapture(answer);
      const columns = [0, 1, 2, 3, 4, 5].map((x) => picture.pixel(x, 450).slice(0, 3));
      deepEqual(
        columns,
        [0, 1, 2, 3, 4, 5].map((x) => [...(x < 3 ? COLOUR.black : COLOUR.white)]),
      );
    },
  },
];

/** Properties of the service's processes, which no page shows. */
export const COVERED_PAINS: readonly CoveredPain[] = [
  {
    id: 'service.zombies',
    title: 'No process is left after the service ends, in any way',
    file: 'test/integration/service/lifecycle.test.ts',
    test: 'ends the browser when the service is killed',
  },
  {
    id: 'service.memory',
    title: 'Memory, files and processes do not grow from capture to capture',
    file: 'test/integration/browser/resilience.long.test.ts',
    test: 'returns to its initial resource counts after',
  },
];
