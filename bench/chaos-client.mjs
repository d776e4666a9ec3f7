import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const SUBMIT_EVERY_MS = 500;
const AGAIN_MS = 100;
const CALL_LIMIT_MS = 10_000;
const LONGEST_BEFORE_CANCEL_MS = 2_000;
const AT_ONCE = 8;
const ENDED = ['done', 'failed', 'cancelled'];
const GIVEN_UP = /^The service ended during the capture/;

/**
 * Submits jobs with secrets until it is stopped: every second with a webhook, every third with a store path, every
 * seventh of a page that does not answer. Cancels every fifth job a moment later. Repeats each request, under one key,
 * until it is answered.
 */
export function createChaosClient({ address, site, canary }) {
  const jobs = new Map();
  const running = new Set();
  const stopping = new AbortController();
  let latest = new Map();

  const call = async (path, init) => {
    for (;;) {
      const base = address();
      if (base !== undefined) {
        const signal = AbortSignal.timeout(CALL_LIMIT_MS);
        const response = await fetch(new URL(path, base), { ...init, signal }).catch(() => undefined);
        const body = await response?.json().catch(() => undefined);
        if (body !== undefined && response.status < 500) return body;
      }
      await delay(AGAIN_MS);
    }
  };
  const submit = async (number) => {
    const isBroken = number % 7 === 3;
    const storePath = number % 3 === 0 ? `chaos/${number}.png` : undefined;
    const hasWebhook = number % 2 === 0;
    const { id } = await call('/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({
        capture: {
          url: isBroken ? 'http://127.0.0.1:9/' : `http://${site.host}/${number}`,
          custom_headers: { 'X-Key': canary },
          cookies: [{ name: 'session', value: canary }],
        },
        ...(hasWebhook && { webhook_url: `http://user:${canary}@${site.host}/hook` }),
        ...(storePath && { store_path: storePath }),
      }),
    });
    const job = { id, number, isBroken, storePath, hasWebhook, isCancelled: false };
    jobs.set(id, job);
    if (number % 5 !== 0) return;
    await delay(Math.random() * LONGEST_BEFORE_CANCEL_MS);
    const { state } = await call(`/jobs/${id}`, { method: 'DELETE' });
    job.isCancelled = state === 'cancelled';
    job.mayBeCancelled = true;
  };
  const start = async () => {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const sent = submit(number).finally(() => running.delete(sent));
      running.add(sent);
      await delay(SUBMIT_EVERY_MS);
    }
    await Promise.all(running);
  };
  /** Each job with its state, or `lost`. */
  const readJobs = async () => {
    const queue = [...jobs.values()];
    const found = new Map();
    const worker = async () => {
      for (let job = queue.pop(); job !== undefined; job = queue.pop()) {
        const { state = 'lost', error } = await call(`/jobs/${job.id}`);
        found.set(job.id, { ...job, state, isGivenUp: GIVEN_UP.test(error?.message ?? '') });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    latest = found;
    return found;
  };
  const violationOf = ({ id, state, isBroken, isCancelled, mayBeCancelled, isGivenUp, hasWebhook }) => {
    const isExpected = isBroken ? state === 'failed' : state === 'done';
    const isFine = isCancelled
      ? state === 'cancelled'
      : isExpected || isGivenUp || (mayBeCancelled && state === 'cancelled');
    if (!ENDED.includes(state)) return `job ${id} is ${state}`;
    if (!isFine) return `job ${id} is ${state} without a cause`;
    if (hasWebhook && site.hooks.get(id) !== state)
      return `job ${id} is ${state}, its webhook says ${site.hooks.get(id)}`;
    return undefined;
  };

  return {
    jobs,
    start,
    stop: () => {
      stopping.abort();
    },
    readJobs,
    findViolations: async () => [...(await readJobs()).values()].flatMap((job) => violationOf(job) ?? []),
    summary: () => {
      const ended = [...latest.values()];
      const states = Object.fromEntries(
        ENDED.map((state) => [state, ended.filter((job) => job.state === state).length]),
      );
      return {
        states,
        givenUp: ended.filter(({ isGivenUp }) => isGivenUp).length,
        hooks: ended.filter(({ hasWebhook }) => hasWebhook).length,
      };
    },
  };
}
