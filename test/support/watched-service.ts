import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { createFixtureSite, type FixtureSite } from './fixture-site.ts';
import { type Routes, send, sendHtml, toDocument } from './pages/exchange.ts';
import { type RunningService, startService } from './service.ts';

/** Tokens of the keys. `shop` has the scope `jobs`. */
export const TOKENS: Readonly<Record<string, string>> = { default: 'token-of-the-operator', shop: 'token-of-the-shop' };
export const SMALL = { window_width: 300, window_height: 120 };
/** A schedule whose second run no test sees. */
export const NEVER = 'every 300 days';

/** What the watched page shows at a request, counted from 1. */
export type Shown = (request: number) => { readonly body: string; readonly status?: number };

export const always =
  (body: string): Shown =>
  () => ({ body });
/** True for the requests at which servers of pages fail. */
export const isDown = (request: number): boolean => request === 2 || request === 3;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line no-explicit-any -- any JSON: each test checks the fields that it needs
  readonly json: any;
}

/** A service with watches, the pages that they watch, and a receiver of webhooks at `/hook`. */
export interface WatchedService extends AsyncDisposable {
  readonly folder: string;
  readonly site: FixtureSite;
  readonly service: RunningService;
  /** What `/watched` shows. */
  show: Shown;
  /** Requests of `/watched`. */
  requests: number;
  /** Pages of their own at `/watched/<name>`. */
  readonly pages: Map<string, { readonly shown: Shown; requests: number }>;
  /** Bodies of the webhooks. */
  readonly hooks: Answer['json'][];
  readonly reset: () => void;
}

export async function startWatchedService(): Promise<WatchedService> {
  const folder = await mkdtemp(join(tmpdir(), 'watches-test-'));
  const moreRoutes: Routes = {
    '/watched': ({ response }) => {
      world.requests++;
      const { body, status } = world.show(world.requests);
      sendHtml(response, toDocument({ body }), status);
    },
    '/watched/*': ({ response, rest }) => {
      const page = world.pages.get(rest);
      if (page === undefined) throw new Error(`no page ${rest}`);
      page.requests++;
      const { body, status } = page.shown(page.requests);
      sendHtml(response, toDocument({ body }), status);
    },
    // A part of a page, whose server fails while the page is shown for the second and third time.
    '/part-of/*': ({ response, rest }) => {
      const isAway = isDown(world.pages.get(rest)?.requests ?? 0);
      if (isAway) sendHtml(response, 'away', 503);
      else if (rest === 'frame') sendHtml(response, '<p>Frame</p>');
      else send(response, { type: 'text/css', body: 'p { color: green }' });
    },
    '/hook': async ({ request, response }) => {
      world.hooks.push(await json(request));
      response.end();
    },
  };
  const shop = {
    id: 'shop',
    token_sha256: [
      createHash('sha256')
        .update(TOKENS['shop'] ?? '')
        .digest('hex'),
    ],
  };
  const keys = [{ ...shop, signing_secrets: [], scopes: ['jobs'], deny_fields: ['custom_js'] }];
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
  const [site, service] = await Promise.all([
    createFixtureSite({ moreRoutes }),
    startService({
      DATA_DIR: join(folder, 'data'),
      AUTH_TOKEN: TOKENS['default'] ?? '',
      KEYS_FILE: join(folder, 'keys.json'),
      WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      MCP: 'true',
      WATCH_MAX: '12',
      WATCH_MIN_INTERVAL: '1000',
    }),
  ]);
  const world: WatchedService = {
    folder,
    site,
    service,
    show: always(''),
    requests: 0,
    pages: new Map(),
    hooks: [],
    reset: () => {
      world.requests = 0;
      world.hooks.length = 0;
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await site.close();
      await rm(folder, { recursive: true });
    },
  };
  return world;
}

/** Returns calls of the service that runs when they are made. */
export function callsOf(world: () => WatchedService) {
  const call = async (method: string, path: string, body?: object, owner = 'default'): Promise<Answer> => {
    const response = await fetch(world().service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${TOKENS[owner]}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
  };
  const settled = (id: string): Promise<Answer['json']> =>
    eventually(async () => {
      const { json: watch } = await call('GET', `/watches/${id}`);
      if (watch.current_run !== undefined) throw new Error('a run is going');
      return watch;
    });
  const runsOf = async (id: string): Promise<Answer['json'][]> => (await call('GET', `/watches/${id}/runs`)).json.runs;
  const runNow = async (id: string): Promise<Answer['json']> => {
    const { json: run } = await call('POST', `/watches/${id}/run`);
    await settled(id);
    return (await runsOf(id)).find((each) => each.id === run.id);
  };
  /** Adds a watch of the page, waits for its first run, calls `use`, and removes the watch. */
  const withWatch = async (fields: object, use: (id: string) => Promise<void>): Promise<void> => {
    const given = { capture: { url: world().site.url('/watched'), ...SMALL }, schedule: NEVER, ...fields };
    const { status, json: watch } = await call('POST', '/watches', given);
    expect([status, watch]).toEqual([201, expect.objectContaining({ state: 'active' })]);
    try {
      await settled(watch.id);
      await use(watch.id);
    } finally {
      await call('DELETE', `/watches/${watch.id}`);
    }
  };

  return { call, settled, runsOf, runNow, withWatch };
}
