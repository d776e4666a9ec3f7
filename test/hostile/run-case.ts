import { readdirSync } from 'node:fs';
import sharp from 'sharp';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { readError } from '../support/errors.ts';
import { capture } from '../support/http.ts';
import { childrenOf, openFilesOf, processGroup, renderersOf } from '../support/processes.ts';
import { readHealth } from '../support/service.ts';
import {
  type CaseAnswer,
  type CaseRequest,
  documentOf,
  type HostileCase,
  type Outcome,
  type Scene,
} from './hostile-case.ts';
import { SECRETS } from './hostile-keys.ts';
import { CAPTURE_TIMEOUT_MS, type World } from './world.ts';

const GRACE_MS = 1_000;
/** Tolerance for keep-alive connections of clients and probes; a leak per capture would accumulate over a run. */
const FILES_TOLERANCE = 8;
/** The renderer that Chrome keeps ready, in addition to a page opened ahead per slot. */
const SPARE_RENDERERS = 1;
const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\[?[\da-f]{0,4}:(?::?[\da-f]{1,4}){2,}\]?/gi;

const CONTROL: HostileCase = {
  id: 'control',
  title: 'a harmless page',
  pages: () => ({
    '': documentOf(
      '<h1>Control</h1><p>The quick brown fox jumps over the lazy dog.</p><div style="width:200px;height:90px;background:linear-gradient(90deg,#08f,#f80)"></div>',
    ),
  }),
};

/** Resources of the idle world. */
export interface Calm {
  readonly picture: Buffer;
  readonly openFiles: number;
}

/** Takes the first picture of the control page, and counts the open resources. */
export async function findCalm(world: World): Promise<Calm> {
  await captureControl(world); // warms up caches and keep-alive connections
  const picture = await captureControl(world);
  await settle(world);
  return { picture, openFiles: openFilesOf(process.pid) };
}

/** Runs a case and checks all conditions. Returns `passes`, or throws the first violation. */
export async function runCase(hostileCase: HostileCase, world: World, calm: Calm): Promise<'passes'> {
  await attack(hostileCase, world);
  await expectCalm(world, calm);
  return 'passes';
}

/** Runs a case and checks its own answers. Throws the first violation. */
export async function attack(hostileCase: HostileCase, world: World): Promise<void> {
  const scene = world.stage(hostileCase);
  const before = {
    queries: world.dns.queries.length,
    requested: world.sites.requested.length,
    logs: world.service.logs.length,
  };
  const requests = hostileCase.requests?.(scene) ?? [{ url: scene.site }];

  const answers: CaseAnswer[] = [];
  const runRequest = async (request: CaseRequest, index: number): Promise<void> => {
    answers[index] = await answerInTime(request, scene, hostileCase.withinMs);
  };
  if (hostileCase.atOnce === true) await Promise.all(requests.map(runRequest));
  else for (const [index, request] of requests.entries()) await runRequest(request, index);

  const logs = world.service.logs.slice(before.logs);
  const failures = logs.filter(({ msg }) => msg === 'unexpected failure');
  expect(failures, 'unexpected failures in the log').toEqual([]);
  expectNoSecrets(JSON.stringify(logs), 'the log');
  const warnings = JSON.stringify(logs.filter(({ level }) => level !== 'debug'));
  for (const [index, answer] of answers.entries()) {
    checkAnswer(hostileCase, answer, { request: requests[index] ?? {}, warnings });
  }
  await hostileCase.verify?.({
    answers,
    scene,
    queries: world.dns.queries.slice(before.queries).filter((query) => query.startsWith('A ')),
    requested: world.sites.requested.slice(before.requested),
  });

  expectUntouched(world);
}

/** Waits until no page or connection of a case is left, so that the next case counts from zero. */
export async function awaitQuiet({ service, sites }: World): Promise<void> {
  await eventually(async () => {
    expect((await readHealth(service.url)).pool, 'places').toMatchObject({ busy: 0, waiting: 0 });
    expect(sites.openConnections(), 'connections to the sites').toBe(0);
  });
}

/** Checks that earlier cases left no trace: in the next picture, in processes, files and connections. */
export async function expectCalm(world: World, calm: Calm): Promise<void> {
  expect((await captureControl(world)).equals(calm.picture), 'the next picture is the same').toBe(true);
  await settle(world, calm);
  expectUntouched(world);
}

function expectNoSecrets(text: string, place: string): void {
  const found = SECRETS.filter((secret) => text.includes(secret));
  expect(found, `secrets in ${place}`).toEqual([]);
}

function expectUntouched({ canaries, rejections }: World): void {
  expect(canaries.disturbances(), 'who reached the canaries').toEqual([]);
  expect(rejections, 'rejections that nobody caught').toEqual([]);
}

async function answerInTime(
  request: CaseRequest,
  { service, token }: Scene,
  withinMs = CAPTURE_TIMEOUT_MS + GRACE_MS,
): Promise<CaseAnswer> {
  const startedAt = performance.now();
  const answer = typeof request === 'function' ? await request() : await capture(service, request, { token });
  expect(performance.now() - startedAt, 'milliseconds to the answer').toBeLessThan(withinMs);
  return answer;
}

function checkAnswer(
  { outcomes = ['200'], blocked = 0 }: HostileCase,
  answer: CaseAnswer,
  { request, warnings }: { readonly request: CaseRequest; readonly warnings: string },
): void {
  expectNoSecrets(answer.body.toString('utf8'), 'the answer');
  expectNoSecrets(headersOf(answer), 'the headers of the answer');
  const text = answer.body.toString('utf8').slice(0, 500);
  const description = typeof request === 'function' ? '' : JSON.stringify(request).slice(0, 300);
  expect(
    outcomes,
    `${description} is answered ${answer.status} ${answer.status === 200 ? '' : `${text} ${warnings}`}`,
  ).toContain(outcomeOf(answer));
  if (answer.status !== 200) {
    const inRequest = typeof request === 'function' ? '' : JSON.stringify(request).toLowerCase();
    const leaked = [...text.replace(/"(timestamp|request_id)":"[^"]*"/g, '').matchAll(ADDRESS)].map(
      ([address]) => address,
    );
    expect(
      leaked.filter((address) => !inRequest.includes(address.toLowerCase())),
      'addresses in the error',
    ).toEqual([]);
    return;
  }
  const header = answer.headers instanceof Headers ? answer.headers.get('x-blocked-requests') : null;
  if (blocked === 'any') return;
  if (blocked === 0) expect(header, 'X-Blocked-Requests').toBeNull();
  else expect(Number(header), 'X-Blocked-Requests').toBeGreaterThanOrEqual(blocked);
}

function headersOf({ headers }: CaseAnswer): string {
  return JSON.stringify(headers instanceof Headers ? [...headers] : headers);
}

function outcomeOf(answer: CaseAnswer): Outcome {
  if (answer.status === 200) return '200';
  if (answer.body.length === 0) return `${answer.status} `;
  return `${answer.status} ${String(readError(answer).error_type)}`;
}

/** Returns raw pixels, so that two encodings of one picture count as equal. */
async function captureControl(world: World): Promise<Buffer> {
  const { site, token } = world.stage(CONTROL);
  const answer = await capture(world.service.url, { url: site }, { token });
  expect(answer.status, `the next capture: ${answer.body.toString('utf8').slice(0, 300)}`).toBe(200);
  return await sharp(answer.body).raw().toBuffer();
}

/** Waits until every resource of earlier runs is released. */
export async function settle(world: World, calm?: Calm): Promise<void> {
  const { service } = world;
  await eventually(async () => {
    const { pool } = await readHealth(service.url);
    expect(pool, 'places').toMatchObject({ busy: 0, waiting: 0 });
    expect(renderersOf(service.browserPid()).length, 'renderers').toBeLessThanOrEqual(pool.size + SPARE_RENDERERS);
    expect(world.sites.openConnections(), 'connections to the sites').toBe(0);
    expect(readdirSync(service.temporaryFolder), 'temporary files').toHaveLength(1);
    const zombies = childrenOf(process.pid).filter(({ isZombie }) => isZombie);
    expect(zombies, 'zombies').toEqual([]);
    if (calm === undefined) return;
    expect(openFilesOf(process.pid), 'open files').toBeLessThanOrEqual(calm.openFiles + FILES_TOLERANCE);
  });
  expect(processGroup(service.browserPid()).length, 'the browser').toBeGreaterThan(0);
}
