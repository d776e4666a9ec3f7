import { createServer } from 'node:http';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { readPicture } from '../../support/pixels.ts';
import { type RunningService, startService } from '../../support/service.ts';
import { startTwoSites, type TwoSites } from '../../support/two-sites.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

const BOXES = `<!doctype html><title>Boxes</title><style>body { margin: 0 } i { position: absolute; top: 20px; width: 10px; height: 10px }</style>
  <i style="left: 30px"></i><i style="left: 70px"></i><a href="/next">next</a>`;

const read = async (answer: Response): Promise<Answer> => ({
  status: answer.status,
  type: answer.headers.get('content-type') ?? '',
  body: Buffer.from(await answer.arrayBuffer()),
});
const shown = ({ status, body }: Answer): unknown => {
  expect([status, status === 200 ? '' : body.toString()]).toEqual([200, '']);
  return JSON.parse(/\{"storage".*\}(?=<|$)/.exec(body.toString().replaceAll('&quot;', '"'))?.[0] ?? '{}');
};
const jsonOf = ({ status, body }: Answer): unknown => {
  expect([status, status === 200 ? '' : body.toString()]).toEqual([200, '']);
  return JSON.parse(body.toString());
};

describe('state, scripts, values and areas', () => {
  let sites: TwoSites;
  let service: RunningService;
  beforeAll(async () => {
    [sites, service] = await Promise.all([
      startTwoSites(),
      startService(
        {
          URL_SIGNING_SECRET: 'secret',
          WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
          EGRESS_ALLOW: '127.0.0.0/8',
          SIGNED_URL_ALLOW: 'init_script,storage_state',
        },
        { stores: true },
      ),
    ]);
  });
  afterAll(() => Promise.all([service[Symbol.asyncDispose](), sites[Symbol.asyncDispose]()]));

  const post = (path: string, body: object): Promise<Response> =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const postJson = async (path: string, body: object) => Object(await (await post(path, body)).json());
  const resultOf = (id: unknown): Promise<Answer> =>
    eventually(async () => {
      const answer = await read(await fetch(`${service.url}/jobs/${String(id)}/result`));
      if (answer.status === 409) throw new Error(answer.body.toString());
      return answer;
    });
  const queryOf = (fields: Fields): string =>
    new URLSearchParams(
      Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ).toString();

  const ROUTES: Readonly<Record<string, (fields: Fields) => Promise<Answer>>> = {
    'POST /capture': async (fields) => await read(await post('/capture', fields)),
    'GET /capture': async (fields) => await read(await fetch(`${service.url}/capture?${queryOf(fields)}`)),
    'a signed link': async (fields) => {
      const signed = await post('/sign', { params: fields });
      const answer = Object(await signed.clone().json());
      return await read(signed.status === 200 ? await fetch(String(answer.signed_url)) : signed);
    },
    'a job': async (fields) => await resultOf((await postJson('/jobs', { capture: fields })).id),
    'a batch': async ({ format, ...defaults }) => {
      const { jobs } = await postJson('/jobs/batch', { defaults, captures: [{ format }] });
      return await resultOf(jobs[0].id);
    },
  };
  const stateOf = (value: string): Fields => ({
    cookies: [{ name: 'session', value: `cookie-${value}`, domain: '127.0.0.1', path: '/' }],
    origins: [{ origin: sites.origin, localStorage: [{ name: 'token', value }] }],
  });
  const show = (fields: Fields): Fields => ({ url: `${sites.origin}/show`, format: 'html', ...fields });

  describe.each(Object.entries(ROUTES))('by %s', (route, ask) => {
    it('set a script and a state before the page', async () => {
      const fields = show({ init_script: 'self.flag = 7', storage_state: stateOf('of-ada') });

      expect(shown(await ask(fields))).toEqual({
        storage: [['token', 'of-ada']],
        cookie: 'session=cookie-of-ada',
        flag: 7,
      });
    });

    it('return the state, but not to a link', async () => {
      const fields = show({ storage_state: stateOf('of-bob'), response_type: 'json', include: ['storage_state'] });
      const { status, body } = await ask(fields);

      const refused = [400, expect.stringContaining('include: storage_state is not accepted in a signed URL')];
      const returned = [
        200,
        expect.stringMatching(/"storage_state":\{"cookies":\[\{"name":"session","value":"cookie-of-bob"/),
      ];
      expect([status, body.toString()]).toEqual(route === 'a signed link' ? refused : returned);
    });

    it('read values', async () => {
      const fields = {
        html_content: BOXES,
        base_url: 'https://name.example/',
        response_type: 'json',
        extract: { to: { selector: 'a', attribute: 'href', type: 'url' }, none: 'b' },
      };

      expect(jsonOf(await ask({ ...fields, format: 'html' }))).toMatchObject({
        extract: { to: 'https://name.example/next', none: null },
      });
    });

    it('show all matches with their surroundings', async () => {
      const fields = { html_content: BOXES, format: 'png', selector: 'i', selector_all: true, selector_padding: 5 };
      const { width, height } = await readPicture((await ask(fields)).body);

      expect([width, height]).toEqual([60, 20]);
    });

    it('show each match and its shades of gray', async () => {
      const fields = { html_content: BOXES, format: 'png', selector: 'i', selector_each: true, color: 'gray' };
      const { elements } = Object(jsonOf(await ask(fields)));

      expect(elements).toMatchObject([{ content_type: 'image/png' }, { content_type: 'image/png' }]);
    });

    it('write one file', async () => {
      const { status, type, body } = await ask({ html_content: BOXES, format: 'single_html' });

      expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body.toString()).toContain(`default-src 'none'`);
    });

    it('fail on a status', async () => {
      const answer = await ask(show({ fail_on_status: ['404', '2xx'] }));

      expect(answer.body.toString()).toContain('PageStatusError');
      expect(answer.status).toBe(400);
    });
  });

  it.each<[Fields, string]>([
    [{ extract: { a: 1 } }, 'extract.a: must be a CSS selector, or an object with selector'],
    [{ extract: {} }, 'extract: must have 1 to 100 names'],
    [{ init_script: '' }, 'init_script: must'],
    [{ init_script: 'x'.repeat(102_401) }, 'init_script: must'],
    [
      { storage_state: { origins: [{ origin: 'x' }] } },
      'storage_state.origins[0].origin: must be an origin such as https://app.example.com',
    ],
    [{ selector_padding: 5 }, 'selector_padding: needs selector, and the format of a picture'],
    [{ selector_all: true }, 'selector_all: needs selector'],
    [{ selector_each: true, format: 'png' }, 'selector_each: needs selector'],
    [{ color: 'mono', format: 'jpeg' }, 'color: mono needs the format png'],
    [{ dither: false, format: 'png' }, 'dither: needs color'],
    [{ selector: 'i', selector_padding: 501, format: 'png' }, 'selector_padding: must be'],
    [{ fail_on_status: ['4x'] }, 'fail_on_status'],
    [{ format: 'singlehtml' }, 'format: must be'],
    [{ include: ['storage'] }, 'include'],
  ])('are refused by each route: %.60j', async (bad, details) => {
    const fields = show(bad);
    const answers = [
      await post('/capture', fields),
      ...(JSON.stringify(fields).length < 8_000 ? [await fetch(`${service.url}/capture?${queryOf(fields)}`)] : []),
      await post('/sign', { params: fields }),
      await post('/jobs', { capture: fields }),
      await post('/jobs/batch', { captures: [fields] }),
    ];

    for (const answer of answers) {
      const { error_details: text } = Object(await answer.json());
      expect([answer.status, String(text)]).toEqual([400, expect.stringContaining(details)]);
    }
  });

  it('lead to a log-in state only with a token, and let cookies of the request win', async () => {
    const fields = {
      ...show({ storage_state: stateOf('of-bob'), cookies: [{ name: 'session', value: 'of-the-request' }] }),
      response_type: 'json',
      include: ['storage_state'],
    };
    const { id } = await postJson('/jobs', { capture: fields });
    const text = (await resultOf(id)).body.toString();
    const { result } = await (await fetch(`${service.url}/jobs/${id}`)).json();

    expect(result.url).toBe(`${service.url}/jobs/${id}/result`);
    expect([text.includes('of-the-request'), text.includes('cookie-of-bob')]).toEqual([true, false]);
  });

  it('show their secrets in no log line, error, metric, job and webhook', async () => {
    const hooks: string[] = [];
    const receiver = createServer((request, response) => {
      void textOf(request).then((body) => {
        hooks.push(body);
        response.end();
      });
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const address = receiver.address();
    const webhook_url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const canary = 'canary-of-state';
    const secret = { storage_state: stateOf(canary), init_script: `self.flag = '${canary}'` };
    const broken = [
      { ...show(secret), selector: '#never', format: 'png' },
      { ...show(secret), url: 'http://127.0.0.1:1/' }, // a job would try it three times
      { ...show(secret), init_script: `self['${canary}'].throws()` },
      { ...show(secret), extract: { a: 5 } },
      { ...show(secret), fail_on_status: ['200'] },
    ];

    const texts: string[] = [];
    for (const fields of broken) texts.push(await (await post('/capture', fields)).text());
    for (const fields of [show(secret), broken[0], broken[4]]) {
      const { id } = await postJson('/jobs', { capture: { ...fields, response_type: 'json' }, webhook_url });
      await resultOf(id);
      texts.push(await (await fetch(`${service.url}/jobs/${id}`)).text());
    }
    texts.push(await (await fetch(`${service.url}/jobs`)).text(), await (await fetch(`${service.url}/metrics`)).text());
    await eventually(() => expect(hooks).toHaveLength(3));
    receiver.close();

    expect([...texts, ...hooks, service.output()].filter((text) => text.includes(canary))).toEqual([]);
    expect(texts.filter((text) => text.includes('Error'))).not.toEqual([]);
  });
});
