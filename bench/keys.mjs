// npm run bench -- keys [rounds] [requests of each in a round]
// Compares cached answers of a service with 10,000 keys with those of a service without KEYS_FILE. Then compares the
// time to refuse wrong tokens and links whose key exists with the time for unknown ones. One connection for each
// service. The requests of a comparison alternate in random order, so other load affects all of them.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedQuery } from '../dist/core/access/signature.js';
import { describeMachine } from './machine.mjs';
import { startService } from './service.mjs';
import { createBenchSite } from './site.mjs';
import { quantile } from './statistics.mjs';

const [rounds = 8, requests = 1_000] = process.argv.slice(2).map(Number);
const COUNT = 10_000;
const LARGEST_CACHED_RATIO = 1.1;
const LARGEST_DIFFERENCE = 0.05;
const OPERATOR = 'operator';
const SECRET = randomSecret();
// All ids have the same length, so that the links have, too.
const [QUOTA, DISABLED, EXPIRED, ROTATED, NO_LINKS, NORMAL] = Array.from({ length: 6 }, (_, index) => idOf(index));
const UNKNOWN = idOf(COUNT);
const SPECIAL = {
  [QUOTA]: { quota: { captures: 1e9, per: 'month' } },
  [DISABLED]: { disabled: true },
  [EXPIRED]: { expires_at: '2020-01-01T00:00:00Z' },
  [ROTATED]: { signing_secrets: Array.from({ length: 4 }, randomSecret) },
  [NO_LINKS]: { signing_secrets: [] },
};

const folder = await mkdtemp(join(tmpdir(), 'keys-bench-'));
const keys = Array.from({ length: COUNT }, (_, index) => createKey(idOf(index)));
const usable = keys.map(({ id }) => id).filter((id) => id !== DISABLED && id !== EXPIRED);
const site = await createBenchSite();
const agent = new http.Agent({ keepAlive: true });
const services = [];
let failed = false;
try {
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
  const without = await start('without', {});
  const withKeys = await start('with', { KEYS_FILE: join(folder, 'keys.json') });
  console.log(describeMachine(without.browserVersion).join('\n'));

  // In pairs: a process with more of the requests would be faster, because more of its code is compiled.
  const cached = { expected: '200 HIT', min: 0, max: LARGEST_CACHED_RATIO };
  let sent = 0;
  for (const [label, side] of Object.entries({
    AUTH_TOKEN: () => byBearer(withKeys, OPERATOR),
    'one key': () => byBearer(withKeys, NORMAL),
    'one key with a quota': () => byBearer(withKeys, QUOTA),
    'each key in turn': () => byBearer(withKeys, usable[sent++ % usable.length]),
  })) {
    const pair = { 'without the file': () => byBearer(without, OPERATOR), [label]: side };
    await compare('cached, token', cached, pair);
  }
  const own = linkOf({}, SECRET);
  const ofKey = linkOf({ key: NORMAL }, secretOf(NORMAL));
  for (const [label, path] of Object.entries({ URL_SIGNING_SECRET: own, 'one key': ofKey })) {
    const pair = {
      'without the file': () => ({ url: without.url + own }),
      [label]: () => ({ url: withKeys.url + path }),
    };
    await compare('cached, link', cached, pair);
  }

  // Each signature is new, because the service remembers links. The control repeats the first side, and so shows the
  // noise.
  const refused = { expected: '403 -', min: 1 - LARGEST_DIFFERENCE, max: 1 + LARGEST_DIFFERENCE };
  const guess = (key) => () => ({ url: withKeys.url + linkOf({ key }, randomSecret()) });
  await compare('wrong token', refused, {
    'no key': () => byBearer(withKeys, UNKNOWN),
    control: () => byBearer(withKeys, idOf(COUNT + 1)),
    'disabled key': () => byBearer(withKeys, DISABLED),
    'expired key': () => byBearer(withKeys, EXPIRED),
  });
  await compare('wrong link', refused, {
    'unknown key': guess(UNKNOWN),
    control: guess(UNKNOWN),
    'key with 1 secret': guess(NORMAL),
    'key with 4 secrets': guess(ROTATED),
    'key without secrets': guess(NO_LINKS),
    'disabled key': guess(DISABLED),
    'expired key': guess(EXPIRED),
  });
} finally {
  agent.destroy();
  await Promise.all(services.map((service) => service.close()));
  await site.close();
  await rm(folder, { recursive: true });
}
if (failed) process.exitCode = 1;

/** The stores of usage are as in production, and equal. */
async function start(name, settings) {
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  const common = { AUTH_TOKEN: tokenOf(OPERATOR), URL_SIGNING_SECRET: SECRET, DATA_DIR: dataDir };
  const service = await startService({ settings: { ...common, ...settings } });
  services.push(service);
  return service;
}

/** Compares each side with the first one. The first round is the warm-up. */
async function compare(title, { expected, min, max }, sides) {
  const labels = Object.keys(sides);
  const p50s = [];
  for (let round = 0; round <= rounds; round++) {
    const times = new Map(labels.map((label) => [label, []]));
    for (let turn = 0; turn < requests; turn++) {
      for (const label of shuffled(labels)) {
        const { ms, found } = await send(sides[label]());
        if (round > 0 && found !== expected) throw new Error(`${title}, ${label}: ${found}, not ${expected}`);
        times.get(label).push(ms);
      }
    }
    if (round > 0) p50s.push(labels.map((label) => quantile(times.get(label), 0.5)));
  }
  const middle = (index) =>
    quantile(
      p50s.map((round) => round[index]),
      0.5,
    ).toFixed(3);
  for (const [index, label] of labels.entries()) {
    if (index === 0) continue;
    const ratios = p50s.map((round) => round[index] / round[0]);
    const ratio = quantile(ratios, 0.5);
    const range = `${Math.min(...ratios).toFixed(3)}-${Math.max(...ratios).toFixed(3)}`;
    const holds = ratio >= min && ratio <= max;
    if (!holds) failed = true;
    console.log(
      `${title}, ${label}: p50 ${middle(index)} ms, ${labels[0]} ${middle(0)} ms: ratio ${ratio.toFixed(3)} (${range})${holds ? '' : ' NOT ENOUGH'}`,
    );
  }
}

/** Returns milliseconds until the end of the answer, and its status with its cache state. */
async function send({ url, headers = {} }) {
  const startedAt = performance.now();
  const [response] = await once(http.get(url, { agent, headers }), 'response');
  response.resume();
  await once(response, 'end');
  const ms = performance.now() - startedAt;
  return { ms, found: `${response.statusCode} ${response.headers['x-cache'] ?? '-'}` };
}

function shuffled(labels) {
  const places = labels.map((label) => ({ label, at: Math.random() }));
  return places.toSorted((a, b) => a.at - b.at).map(({ label }) => label);
}

function byBearer({ url }, name) {
  const query = new URLSearchParams(fields());
  return { url: `${url}/capture?${query}`, headers: { authorization: `Bearer ${tokenOf(name)}` } };
}

function linkOf(params, secret) {
  return `/capture?${signedQuery(new Map(Object.entries({ ...fields(), ...params })), secret)}`;
}

function fields() {
  return { url: site.url('/plain'), cache_ttl: '2592000' };
}

function idOf(index) {
  return `key-${`${index}`.padStart(5, '0')}`;
}

function createKey(id) {
  const tokenHash = createHash('sha256').update(tokenOf(id)).digest('hex');
  return { id, token_sha256: [tokenHash], signing_secrets: [randomSecret()], ...SPECIAL[id] };
}

function secretOf(id) {
  return keys.find((key) => key.id === id).signing_secrets[0];
}

/** Returns a token that has the same length for each name. */
function tokenOf(name) {
  return createHash('sha256').update(`token of ${name}`).digest('hex');
}

function randomSecret() {
  return randomBytes(32).toString('hex');
}
