import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR } from '../../support/colour.ts';
import { eventually } from '../../support/eventually.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture, type CaptureAnswer } from '../../support/http.ts';
import { LISTED_PAGE, LISTED_RULES, listedRoutes } from '../../support/pages/listed.ts';
import { type Picture, readPicture } from '../../support/pixels.ts';
import { type RunningService, runService, startService } from '../../support/service.ts';

/** Secret in a rule and in a matching URL. No log line may contain it. */
const SECRET = 'rule-of-the-operator';

const REQUEST_RULES = `! Title: requests
/listed/loaded/script.js
/listed/loaded/kept.js$script
@@/listed/loaded/kept.js$script
/listed/loaded/picture.png$image
/listed/loaded/sheet.css$image
/listed/loaded/third.png$image,third-party
/listed/loaded/frame$subdocument
/listed/loaded/fetch.json$xmlhttprequest
/listed/loaded/xhr.json$xmlhttprequest,redirect=noop.txt
/listed/requests$all
/${SECRET}$image
`;

const boxesIn = (picture: Picture): string[] =>
  Object.entries(LISTED_PAGE)
    .filter(
      ([, { x, colour }]) =>
        picture
          .pixel(x + 25, 25)
          .slice(0, 3)
          .join() === colour.join(),
    )
    .map(([name]) => name);

describe('BLOCK_LISTS', () => {
  let folder: string;
  let site: FixtureSite;
  let service: RunningService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lists-test-'));
    const [requests, checks] = [join(folder, 'requests.txt'), join(folder, 'checks.txt')];
    await Promise.all([writeFile(requests, REQUEST_RULES), writeFile(checks, LISTED_RULES)]);
    [site, service] = await Promise.all([
      createFixtureSite({ moreRoutes: listedRoutes() }),
      startService({ BLOCK_LISTS: `${requests}, ${checks}`, LOG_LEVEL: 'trace' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([service[Symbol.asyncDispose](), site.close()]);
    await rm(folder, { recursive: true });
  });

  const captureOf = (path: string, fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { url: site.url(path), ...fields });
  const requestsWith = async (fields: Readonly<Record<string, unknown>>): Promise<[string[], string | null]> => {
    const before = site.requests.length;
    const answer = await captureOf('/listed/requests', fields);
    expect(answer.status).toBe(200);
    const paths = site.requests.slice(before).map(({ path }) => path);
    const requested = paths
      .filter((path) => path.startsWith('/listed/loaded/'))
      .map((path) => path.slice('/listed/loaded/'.length));
    return [requested.toSorted(), answer.headers.get('x-filtered-requests')];
  };

  const lookAt = async (fields: Readonly<Record<string, unknown>>): Promise<Picture> => {
    const answer = await captureOf('/listed', { wait_for_selector: '#late', ...fields });
    expect(answer.status).toBe(200);
    return readPicture(answer.body);
  };

  const ALL = [
    'fetch.json',
    'frame',
    'in-frame.png',
    'kept.js',
    'picture.png',
    'script.js',
    'sheet.css',
    'third.png',
    'third.png',
    'third.png?frame',
    'xhr.json',
  ];

  it('reports the number of rules', async () => {
    await eventually(() => {
      const line = service.logs().find(({ msg }) => msg === 'filter lists read');
      expect(line).toMatchObject({
        level: 'info',
        files: 2,
        network: 11,
        cosmetic: 12,
        unread: 2,
        leftOut: 0,
      });
    });
  });

  it.each([{ block_ads: true }, { block_trackers: true }])(
    'blocks exactly the requests that the lists match, with %j',
    async (fields) => {
      const [requested, count] = await requestsWith(fields);

      // The picture of another site is first-party for the frame.
      expect(requested).toEqual(['in-frame.png', 'kept.js', 'sheet.css', 'third.png', 'third.png?frame']);
      expect(count).toBe('7');
    },
  );

  it('blocks nothing without the fields', async () => {
    expect(await requestsWith({})).toEqual([ALL, null]);
  });

  it('treats every host as third-party in supplied markup', async () => {
    const before = site.requests.length;
    const answer = await capture(service.url, {
      html_content: `<img src="${site.url('/listed/loaded/third.png')}"><img src="${site.url('/listed/loaded/in-frame.png')}">`,
      block_ads: true,
    });

    expect(answer.headers.get('x-filtered-requests')).toBe('1');
    expect(site.requests.slice(before).map(({ path }) => path)).toContain('/listed/loaded/in-frame.png');
  });

  describe('element hiding', () => {
    it('hides elements that the lists match, also late content and shadow trees, despite invalid rules', async () => {
      const picture = await lookAt({ block_ads: true, wait_for_selector: undefined, delay_capture: 300 });

      expect(boxesIn(picture)).toEqual(['otherHost', 'excepted', 'plain']);
      expect(picture.pixel(LISTED_PAGE.styled.x + 25, 25).slice(0, 3)).toEqual([...COLOUR.green]);
    });

    it('hides nothing without the fields', async () => {
      expect(boxesIn(await lookAt({}))).toEqual(Object.keys(LISTED_PAGE));
    });

    it('does not change the markup', async () => {
      const answer = await captureOf('/listed', { block_ads: true, format: 'html' });

      expect(answer.body.toString()).toContain('listed-class');
      expect(answer.body.toString()).not.toContain('display: none');
    });

    it('finds no hidden element for a selector', async () => {
      const answer = await captureOf('/listed', {
        block_ads: true,
        selector: '.listed-class',
        wait_for_timeout: 1_000,
      });

      expect(answer.status).toBe(400);
    });
  });

  it('logs nothing from the lists', async () => {
    await captureOf('/listed/requests', { block_ads: true });

    expect(service.logs().some(({ level }) => level === 'debug' || level === 'trace')).toBe(true);
    expect(service.output()).not.toMatch(new RegExp(`${SECRET}|listed-host|loaded/|:wrong`));
  });
});

describe('BLOCK_LISTS on disk', () => {
  it.each([
    ['that is missing', '/no/such/list.txt', /^BLOCK_LISTS: .*"\/no\/such\/list\.txt" can't be read \(ENOENT\)/m],
    ['that is a folder', tmpdir(), /^BLOCK_LISTS: .* is not a file/m],
  ])('refuses to start for a file %s, and reports all other problems as well', async (_what, path, problem) => {
    const { code, errors } = await runService({ BLOCK_LISTS: path, POOL_SIZE: 'many' });

    expect(code).toBe(1);
    expect(errors).toMatch(problem);
    expect(errors).toContain('POOL_SIZE');
  });
});
