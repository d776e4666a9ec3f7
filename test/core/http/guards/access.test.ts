import request, { type Response } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_ROUTES } from '../../../support/app.ts';
import { eventually } from '../../../support/eventually.ts';
import { type KeyedApp, startKeyedApp, tokenOf } from '../../../support/keyed-app.ts';

/** Columns of the table. `guess` has a wrong token, `none` has no token. */
const CALLERS = ['reader', 'worker', 'other', 'default', 'guess', 'none'] as const;
type Caller = (typeof CALLERS)[number];

const [ok, made, gone] = ['200', '202', '404 NotFoundError'];
const [scope, guess, none] = ['403 ScopeError', '403 AuthenticationError', '401 AuthenticationError'];
const everyone = [ok, ok, ok, ok, ok, ok];
const link = [gone, ok, gone, ok, ok, ok]; // works without a token, but not with that of another key
const noFile = ['404 NotFoundError', '404 NotFoundError', '404 NotFoundError', '404 NotFoundError', guess, none];
const notPdf = ['400', '400', '400', '400', '401', '401'];
const form = [ok, ok, ok, ok, '401', '401'];

/** One row per route and method. Jobs and files belong to `worker`. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  //                       reader worker other default guess none
  'GET /capture': [ok, ok, ok, ok, guess, none],
  'HEAD /capture': [ok, ok, ok, ok, guess, none],
  'POST /capture': [ok, ok, ok, ok, guess, none],
  'POST /sign': [scope, ok, ok, ok, guess, none],
  'POST /compare': noFile,
  'POST /documents': noFile,
  'POST /documents/split': noFile,
  'POST /documents/metadata': noFile,
  'POST /documents/flatten': noFile,
  'GET /devices': [ok, ok, ok, ok, guess, none],
  'HEAD /devices': [ok, ok, ok, ok, guess, none],
  'GET /templates': [ok, ok, ok, ok, guess, none],
  'HEAD /templates': [ok, ok, ok, ok, guess, none],
  'POST /mcp': [scope, scope, scope, ok, guess, none],
  'GET /stored/*path': link,
  'HEAD /stored/*path': link,
  'GET /jobs': [scope, ok, ok, ok, guess, none],
  'POST /jobs': [scope, made, made, made, guess, none],
  'POST /jobs/batch': [scope, made, made, made, guess, none],
  'GET /jobs/:id': [scope, ok, gone, ok, guess, none],
  'HEAD /jobs/:id': [scope, ok, gone, ok, guess, none],
  'DELETE /jobs/:id': [scope, ok, gone, ok, guess, none],
  'GET /jobs/:id/result': [scope, ok, gone, ok, guess, none],
  'GET /watches': [scope, ok, ok, ok, guess, none],
  'POST /watches': [scope, '201', '201', '201', guess, none],
  'GET /watches/:id': [scope, ok, gone, ok, guess, none],
  'HEAD /watches/:id': [scope, ok, gone, ok, guess, none],
  'PATCH /watches/:id': [scope, ok, gone, ok, guess, none],
  'GET /watches/:id/runs': [scope, ok, gone, ok, guess, none],
  'POST /watches/:id/accept': [scope, ok, gone, ok, guess, none],
  'POST /watches/:id/run': [scope, made, gone, '409 JobNotFinishedError', guess, none],
  'DELETE /watches/:id': [scope, '204', gone, gone, guess, none],
  'GET /usage': [scope, ok, ok, ok, guess, none],
  'GET /health/live': everyone,
  'HEAD /health/live': everyone,
  'GET /health/ready': everyone,
  'HEAD /health/ready': everyone,
  'GET /health': everyone,
  'HEAD /health': everyone,
  'GET /openapi.json': everyone,
  'HEAD /openapi.json': everyone,
  'GET /metrics': [scope, scope, scope, ok, guess, none],
  'HEAD /metrics': [scope, scope, scope, ok, guess, none],
  ...Object.fromEntries(
    ['convert', 'screenshot'].flatMap((kind) =>
      ['url', 'html', 'markdown'].map((source) => [`POST /forms/chromium/${kind}/${source}`, form]),
    ),
  ),
  ...Object.fromEntries(
    ['merge', 'split', 'flatten', 'convert', 'encrypt', 'metadata/read', 'metadata/write', 'bookmarks/read'].map(
      (engine) => [`POST /forms/pdfengines/${engine}`, notPdf],
    ),
  ),
  'GET /version': everyone,
  'HEAD /version': everyone,
  ...Object.fromEntries(
    ['', '/chromium', '/chrome'].flatMap((browser) =>
      ['screenshot', 'pdf', 'content'].map((kind) => [`POST ${browser}/${kind}`, form]),
    ),
  ),
  ...Object.fromEntries(
    ['v1', 'v2'].flatMap((version) => [
      [`POST /${version}/scrape`, form],
      [`POST /${version}/map`, form],
      [`POST /${version}/batch/scrape`, ['403', ok, ok, ok, '401', '401']],
      ...['batch/scrape', 'crawl'].flatMap((batches) => [
        [`GET /${version}/${batches}/:id`, ['403', ok, '404', ok, '401', '401']],
        [`DELETE /${version}/${batches}/:id`, ['403', ok, '404', ok, '401', '401']],
        [`GET /${version}/${batches}/:id/errors`, ['403', ok, '404', ok, '401', '401']],
      ]),
      ...['credit', 'token'].map((kind) => [`GET /${version}/team/${kind}-usage`, [ok, ok, ok, ok, '401', '401']]),
      ...['GET', 'POST', 'DELETE'].map((method) => [
        `${method} /${version}/*rest`,
        ['404', '404', '404', '404', '401', '401'],
      ]),
    ]),
  ),
  'GET /take': [ok, ok, ok, ok, '403', '401'],
  'HEAD /take': [ok, ok, ok, ok, '403', '401'],
  'POST /take': [ok, ok, ok, ok, '403', '401'],
  'GET /': everyone,
  'HEAD /': everyone,
  'GET /docs': everyone,
  'HEAD /docs': everyone,
  'GET /guides/:name': everyone,
  'HEAD /guides/:name': everyone,
  'GET /comparison': everyone,
  'GET /llms.txt': everyone,
  'HEAD /llms.txt': everyone,
  'GET /queue': everyone,
  'HEAD /comparison': everyone,
  'HEAD /queue': everyone,
};

const PAGE = { url: 'https://example.com/' };
const BODIES: Readonly<Record<string, object>> = {
  'POST /capture': PAGE,
  'POST /sign': { params: PAGE },
  'POST /compare': { before: { stored: 'none.png' }, after: { stored: 'none.png' } },
  'POST /documents': { parts: [{ stored: 'none.pdf' }] },
  'POST /documents/split': { document: { stored: 'none.pdf' }, mode: 'intervals', span: 1 },
  'POST /documents/metadata': { document: { stored: 'none.pdf' } },
  'POST /documents/flatten': { document: { stored: 'none.pdf' } },
  'POST /take': PAGE,
  'POST /screenshot': PAGE,
  'POST /pdf': PAGE,
  ...Object.fromEntries(
    ['chromium', 'chrome'].flatMap((browser) =>
      ['screenshot', 'pdf', 'content'].map((kind) => [`POST /${browser}/${kind}`, PAGE]),
    ),
  ),
  'POST /content': PAGE,
  'POST /v1/scrape': PAGE,
  'POST /v1/map': PAGE,
  'POST /v1/batch/scrape': { urls: [PAGE.url] },
  'POST /v2/scrape': PAGE,
  'POST /v2/map': PAGE,
  'POST /v2/batch/scrape': { urls: [PAGE.url] },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'ping' },
  'POST /jobs': { capture: PAGE },
  'POST /watches': { capture: PAGE, schedule: 'every 1 days' },
  'PATCH /watches/:id': { label: 'Renamed' },
  'POST /jobs/batch': { captures: [PAGE, PAGE] },
};
describe('every route', () => {
  let service: KeyedApp;
  /** Paths with the job and the file of `worker`. */
  let paths: Readonly<Record<string, string>>;
  let jobOfWorker: string;

  beforeAll(async () => {
    service = await startKeyedApp({ authToken: tokenOf('default') });
    jobOfWorker = await finishJob('worker');
    const watch = `/watches/${await watchOf('worker')}`;
    paths = {
      '/capture': `/capture?${new URLSearchParams(PAGE)}`,
      '/take': `/take?${new URLSearchParams(PAGE)}`,
      '/stored/*path': await storeFile('worker'),
      '/guides/:name': '/guides/readme',
      '/jobs/:id': `/jobs/${jobOfWorker}`,
      '/watches/:id': watch,
      ...Object.fromEntries(['runs', 'run', 'accept'].map((name) => [`/watches/:id/${name}`, `${watch}/${name}`])),
      ...Object.fromEntries(
        ['/v1/batch/scrape', '/v2/batch/scrape', '/v1/crawl', '/v2/crawl'].flatMap((batches) => [
          [`${batches}/:id`, `${batches}/${jobOfWorker}-1-m`],
          [`${batches}/:id/errors`, `${batches}/${jobOfWorker}-1-m/errors`],
        ]),
      ),
      '/jobs/:id/result': `/jobs/${jobOfWorker}/result`,
    };
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const call = async (caller: Caller, method: string, path: string, body?: object): Promise<Response> => {
    const verb = method.toLowerCase();
    if (!isVerb(verb)) throw new TypeError(`${method} is no method of a route`);
    const sent = request(service.app)[verb](path).set('Accept', 'application/json, text/event-stream');
    if (caller !== 'none') sent.set('Authorization', `Bearer ${tokenOf(caller)}`);
    if (!path.startsWith('/forms/')) return await sent.send(body);
    return await sent
      .field(PAGE)
      .attach('files', Buffer.from('{{ toHTML "a.md" }}'), 'index.html')
      .attach('files', Buffer.from('Text'), 'a.md');
  };
  /** Calls a route of the table. */
  const callRoute = async (caller: Caller, name: string): Promise<Response> => {
    const [method = '', pattern = ''] = name.split(' ');
    const path = method === 'POST' && !pattern.includes(':') ? pattern : (paths[pattern] ?? pattern);
    return await call(caller, method, path, BODIES[name]);
  };
  const finishJob = async (owner: Caller): Promise<string> => {
    const { body } = await call(owner, 'POST', '/jobs', { capture: PAGE, store_path: 'same.png' });
    await eventually(async () => expect((await service.jobs.store.get(body.id))?.state).toBe('done'));
    return body.id;
  };
  /** Adds a watch whose runs take a while, and waits for the first one. */
  const watchOf = async (owner: Caller): Promise<string> => {
    const capture = { ...PAGE, delay_capture: 300 };
    const { body } = await call(owner, 'POST', '/watches', { capture, schedule: 'every 1 days' });
    await eventually(async () => {
      const { body: watch } = await call(owner, 'GET', `/watches/${body.id}`);
      expect(watch.last_run).toBeDefined();
    });
    return body.id;
  };
  const storeFile = async (owner: Caller): Promise<string> => {
    const { headers } = await call(owner, 'POST', '/capture', {
      ...PAGE,
      store: true,
      store_path: 'file.png',
    });
    return pathOf(headers['x-stored-url'] ?? '');
  };

  it('has a row of this table for each of its methods', () => {
    const names = ALL_ROUTES.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));

    expect(Object.keys(TABLE).toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it.each(Object.entries(TABLE))('answers as its row says, and leaks nothing: %s', async (name, row) => {
    const isHead = name.startsWith('HEAD ');
    const answers: Response[] = [];
    for (const caller of CALLERS) answers.push(await callRoute(caller, name));

    const leaks = CALLERS.filter((caller, index) => {
      const isPublic = row === everyone || (row === link && row[index] === ok);
      const text = JSON.stringify(answers[index]?.headers) + textOf(answers[index]);
      return !isPublic && !['worker', 'default'].includes(caller) && text.match(`worker|${jobOfWorker}`);
    });

    expect(answers.map(resultOf)).toEqual(isHead ? row.map((cell) => cell.slice(0, 3)) : row);
    expect(leaks).toEqual([]);
    expect(row === everyone ? new Set(answers.map(withoutMeasures)).size : 1).toBe(1);
  });

  it('has the page of usage without credentials, with the same text for all callers', async () => {
    const pages = [];
    for (const caller of CALLERS) {
      const sent = request(service.app).get('/usage').set('Accept', 'text/html');
      pages.push(await (caller === 'none' ? sent : sent.set('Authorization', `Bearer ${tokenOf(caller)}`)));
    }

    expect(pages.map(({ status, type }) => [status, type])).toEqual(CALLERS.map(() => [200, 'text/html']));
    expect(new Set(pages.map(textOf)).size).toBe(1);
  });

  it('compares no results of other keys', async () => {
    const compared = async (owner: (typeof CALLERS)[number], side: object) => {
      const body = { before: side, after: side };
      const { status, body: answer } = await call(owner, 'POST', '/compare', body);
      return [status, answer.error_type, answer.error_details];
    };
    const sides = [{ job: jobOfWorker }, { stored: 'of-worker.png' }];
    await call('worker', 'POST', '/capture', { ...PAGE, store: true, store_path: 'of-worker.png' });
    const known = [400, 'NotComparableError', 'before: is no png, jpeg, webp or avif'];

    for (const side of sides) expect(await compared('worker', side)).toEqual(known);
    for (const side of sides)
      expect(await compared('other', side)).toEqual([
        404,
        expect.stringMatching(/^(?:JobNotFound|NotFound)Error$/),
        'before',
      ]);
  });

  it('joins no results of other keys', async () => {
    for (const side of [{ job: jobOfWorker }, { stored: 'of-worker.png' }]) {
      const [ofWorker, ofOther] = [
        await call('worker', 'POST', '/documents', { parts: [side] }),
        await call('other', 'POST', '/documents', { parts: [side] }),
      ];
      expect([ofWorker.status, ofWorker.body.error_details]).toEqual([400, 'parts[0]: must be a PDF, and not damaged']);
      expect([ofOther.status, ofOther.body.error_details]).toEqual([404, 'parts[0]']);
    }
  });

  it('keeps results of jobs with the same store_path apart', async () => {
    const ofOther = await finishJob('other');

    for (const [owner, id] of [
      ['worker', jobOfWorker],
      ['other', ofOther],
    ] as const) {
      const { body } = await call(owner, 'GET', `/jobs/${id}`);
      const linked = await call('none', 'GET', pathOf(body.result.url));
      const result = await call(owner, 'GET', `/jobs/${id}/result`);
      expect([linked, result].map(textOf)).toEqual(Array(2).fill(`picture of ${owner}`));
    }
  });
});

function isVerb(text: string): text is 'get' | 'head' | 'post' | 'patch' | 'delete' {
  return ['get', 'head', 'post', 'patch', 'delete'].includes(text);
}

function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}

/** Returns the status, and the error type if there is one. `/mcp` has another form of errors. */
function resultOf({ status, body }: Response): string {
  const type: string | undefined = body?.error_type ?? body?.error?.data?.error_type;
  return type === undefined ? `${status}` : `${status} ${type}`;
}

/** Returns the body as text. */
function textOf(answer: Response | undefined): string {
  const { text, body } = answer ?? {};
  return text ?? (Buffer.isBuffer(body) ? body.toString() : '');
}

function withoutMeasures(answer: Response): string {
  return textOf(answer).replaceAll(/"(?:timestamp|uptime_seconds|rss_bytes)":(?:"[^"]*"|[\d.]+)/g, '');
}
