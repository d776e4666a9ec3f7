import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { send } from '../../support/raw-http.ts';
import type { CaseAnswer, HostileCase, Outcome, Scene } from '../hostile-case.ts';
import { hashOf, type KeyId, SHOP_TEXT, tokenOf } from '../hostile-keys.ts';
import { type Call, callAs, callsAs, follow, linkOf, removeKey } from '../keyed-world.ts';

const WRONG_TOKEN = '403 AuthenticationError';
const WRONG_SIGNATURE = '403 InvalidSignatureError';
const NOT_FOUND = '404 NotFoundError';
const INVALID = '400 ValidationError';
const HEAD = { method: 'HEAD' };
const PAGE = { html_content: 'x', window_width: 64, window_height: 64 };
const SHOP_PAGE = { html_content: `<p>${SHOP_TEXT}</p>`, format: 'html' };
const SHOP_JOB: Call = ['/jobs', { capture: SHOP_PAGE }, { headers: { 'idempotency-key': 'one' } }];

/** A finished job, and the path of its result with the query of the link. */
interface Job {
  readonly id: string;
  readonly stored: string;
}

/** Returns a case in which a key sends these calls. */
function calls(
  id: string,
  title: string,
  key: KeyId,
  outcomes: readonly Outcome[],
  given: readonly Call[],
): HostileCase {
  return { id, title, outcomes, requests: (scene) => callsAs(scene, key, given) };
}

/** Returns a case with these Authorization headers. */
function tokens(id: string, title: string, headers: readonly string[]): HostileCase {
  const body = JSON.stringify(PAGE);
  return {
    id,
    title,
    outcomes: [WRONG_TOKEN],
    requests: ({ service }) =>
      headers.map(
        (authorization) => () =>
          send(service, { headers: { authorization, 'content-type': 'application/json' }, body }),
      ),
  };
}

/** Submits the job of the shop and returns it when it has finished. The text of the shop is in its result. */
async function finishJob(scene: Scene): Promise<Job> {
  const { id } = JSON.parse((await callAs(scene, 'shop', SHOP_JOB)).body);
  return await eventually(async () => {
    const job = JSON.parse((await callAs(scene, 'shop', [`/jobs/${id}`])).body);
    if (job.state !== 'done') throw new Error(`the job is ${job.state}`);
    return { id, stored: targetOf(job.result.url) };
  });
}

/** Stores a page and returns the path of the file with the query of the link. */
async function store(scene: Scene, key: KeyId, page: object): Promise<string> {
  const { headers } = await callAs(scene, key, ['/capture', { ...page, store: true, store_path: 'a/b.html' }]);
  return targetOf(String(headers['x-stored-url']));
}

function targetOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** Throws if the file of the shop is missing or was replaced. */
async function expectShopText(scene: Scene, target: string): Promise<void> {
  const { body } = await callAs(scene, 'shop', [target]);
  expect(body).toContain(SHOP_TEXT);
}

export const KEY_CASES: readonly HostileCase[] = [
  tokens(
    'Y01',
    'tokens that are not in force: unknown, disabled, expired, the id or the hash of a key, prototype names',
    ['nobody', tokenOf('off'), tokenOf('old'), hashOf('shop'), 'shop', 'default', '__proto__', 'constructor'].map(
      (token) => `Bearer ${token}`,
    ),
  ),
  tokens('Y02', 'junk around a valid token, and other schemes', [
    `Bearer ${tokenOf('shop')}x`,
    `Bearer x${tokenOf('shop')}`,
    `Bearer ${tokenOf('shop')} x`,
    `Bearer ${tokenOf('shop')},${tokenOf('blog')}`,
    `Bearer ${tokenOf('shop')};`,
    `Bearer "${tokenOf('shop')}"`,
    `Bearer ${tokenOf('shop')}%00`,
    `Bearer ${tokenOf('shop').toUpperCase()}`,
    `Bearer ${tokenOf('shop').slice(0, -1)}`,
    `Bearer\t${tokenOf('shop')}`,
    `Bearer Bearer ${tokenOf('shop')}`,
    `Bearer${tokenOf('shop')}`,
    `Basic ${tokenOf('shop')}`,
    tokenOf('shop'),
    'Bearer',
  ]),
  tokens('Y03', 'tokens of 20,000 and 60,000 characters', [
    `Bearer ${'x'.repeat(20_000)}`,
    `Bearer ${tokenOf('shop')}${'x'.repeat(20_000)}`,
    `Bearer ${'x'.repeat(60_000)}`,
  ]),
  {
    id: 'Y04',
    title: 'a key that is removed: its token, its link, and the link to its file end within two seconds',
    outcomes: [WRONG_TOKEN, WRONG_SIGNATURE],
    withinMs: 5_000,
    requests: (scene) => {
      const link = linkOf('leaver', { html_content: 'x' });
      let stored = '';
      return [
        async () => {
          stored = await store(scene, 'leaver', PAGE);
          const [before] = follow(scene, [link]);
          expect((await before?.())?.status).toBe(200);
          await removeKey(scene, 'leaver');
          return await eventually(async () => {
            const answer = await callAs(scene, 'leaver', ['/capture', PAGE]);
            expect(answer.status).not.toBe(200);
            return answer;
          });
        },
        ...follow(scene, [link]),
        () => send(scene.service, { method: 'GET', path: stored }),
        () => callAs(scene, 'shop', [stored]),
      ];
    },
  },
  {
    id: 'Y05',
    title: 'the job, result and stored file of another key',
    outcomes: [NOT_FOUND, '404 '],
    requests: (scene) => {
      let job: Promise<Job> | undefined;
      const attempt = (call: (job: Job) => Call) => async (): Promise<CaseAnswer> => {
        job ??= finishJob(scene);
        const answer = await callAs(scene, 'blog', call(await job));
        await expectShopText(scene, `/jobs/${(await job).id}/result`);
        return answer;
      };
      return [
        attempt(({ id }) => [`/jobs/${id}`]),
        attempt(({ id }) => [`/jobs/${id}`, undefined, HEAD]),
        attempt(({ id }) => [`/jobs/${id}/result`]),
        attempt(({ id }) => [`/jobs/${id}?key=shop`]),
        attempt(({ id }) => [`/jobs/${id}`, undefined, { method: 'DELETE' }]),
        attempt(({ stored }) => [stored]),
        attempt(({ stored }) => [stored, undefined, HEAD]),
      ];
    },
  },
  {
    id: 'Y06',
    title: 'lists of jobs, and the Idempotency-Key of another key',
    requests: (scene) => [
      async () => {
        await finishJob(scene);
        return await callAs(scene, 'blog', ['/jobs']);
      },
      ...callsAs(scene, 'blog', [['/jobs?state=done'], ['/jobs?state=done&limit=100']]),
      async () => {
        const [path, , more] = SHOP_JOB;
        const { body } = await callAs(scene, 'blog', [path, { capture: PAGE }, more]);
        return await callAs(scene, 'blog', [`/jobs/${JSON.parse(body).id}`]);
      },
    ],
    verify: async ({ answers, scene }) => {
      const { jobs }: { jobs: { id: string }[] } = JSON.parse((await callAs(scene, 'shop', ['/jobs'])).body);
      expect(jobs.length).toBeGreaterThan(0);
      const seen = answers.map(({ body }) => body.toString()).join('');
      expect(jobs.filter(({ id }) => seen.includes(id))).toEqual([]);
    },
  },
  calls(
    'Y07',
    'the usage of another key, and metrics of all keys',
    'blog',
    ['403 ScopeError', NOT_FOUND],
    [
      ['/usage?key=shop'],
      ['/usage?key=default'],
      ['/usage?key=%73hop'],
      ['/usage?key=shop&key=blog'],
      ['/usage?key=__proto__'],
      ['/usage?key='],
      ['/metrics'],
      ['/METRICS'],
      ['/metrics/'],
      ['/%6detrics'],
    ],
  ),
  calls(
    'Y07a',
    'parameters of usage that do not exist, and prototype names',
    'blog',
    [INVALID],
    [['/usage?KEY=shop'], ['/usage?key[]=shop'], ['/usage?constructor=1'], ['/usage?__proto__=1']],
  ),
  {
    id: 'Y08',
    title: 'the stored file of another key: without a link, with the signature of an own file, by the same path',
    outcomes: [WRONG_SIGNATURE, NOT_FOUND],
    requests: (scene) => {
      const attempt = (change: (shop: string, blog: string) => string) => async (): Promise<CaseAnswer> => {
        const shop = await store(scene, 'shop', SHOP_PAGE);
        const blog = await store(scene, 'blog', PAGE);
        await expectShopText(scene, shop);
        return await callAs(scene, 'blog', [change(shop, blog)]);
      };
      return [
        attempt((shop) => shop),
        attempt((shop) => shop.replace(/\?.*/, '')),
        attempt((shop, blog) => shop.replace(/\?.*/, blog.slice(blog.indexOf('?')))),
        attempt((_shop, blog) => blog.replace('/blog/', '/blog/..%2fshop/')),
        attempt((_shop, blog) => blog.replace('/blog/', '/blog/../shop/')),
        attempt((shop) => shop.replace('/~owners/shop/', '/')),
      ];
    },
  },
  calls(
    'Y08a',
    'a store_path into the folder of another key',
    'blog',
    [INVALID],
    ['~owners/shop/a/b.html', '../shop/a/b.html', '/~owners/shop/a/b.html', '%7Eowners/shop/a/b.html'].flatMap(
      (store_path): Call[] => [
        ['/capture', { ...PAGE, store: true, store_path }],
        ['/jobs', { capture: PAGE, store_path }],
      ],
    ),
  ),
];
