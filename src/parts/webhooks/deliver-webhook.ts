import type { Socket } from 'node:net';
import { createHmac } from 'node:crypto';
import { canonicalHost, type Destinations } from '../../core/egress/destination.ts';
import type { EgressRule } from '../../core/egress/rules.ts';
import { type Dial, DialError } from '../../core/egress/gate/dial.ts';
import { readLogin } from '../../core/egress/url-login.ts';
import { errorCode } from '../../core/ground/errors.ts';
import type { Logger } from '../../core/ground/log.ts';
import { raceAbort } from '../../core/ground/timeouts.ts';
import { type Post, postOnce } from './post-once.ts';
import type { WebhookSecret } from './webhook-secret.ts';
import type { DeliverWebhook, WebhookMessage, WebhookOutcome } from './webhook.ts';

/** Standard Webhooks recommends 15 to 30 s. */
const TIMEOUT_MS = 20_000;
const GONE_STATUS = 410;

interface DeliverOptions {
  /** Secrets to sign with. Without one, only requests without a signature are sent. */
  readonly secrets: readonly WebhookSecret[];
  /** Webhooks obey the egress rules of pages, which are evaluated for each attempt. */
  readonly openDestinations: (within?: readonly EgressRule[]) => Destinations;
  /** Connects like pages do, directly or by the proxy. */
  readonly reach: Dial;
  readonly log: Logger;
  readonly record: (outcome: WebhookOutcome['kind']) => void;
  readonly timeoutMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly ca?: readonly string[];
}

/**
 * Sends messages to destinations that the egress rules allow. A name is resolved once and the checked address is
 * dialled, so a receiver can't point us at our own network. `parts/jobs/send-webhook.ts` has the delays between
 * attempts.
 */
export function createDeliverWebhook(options: DeliverOptions): DeliverWebhook {
  const { log, record, timeoutMs = TIMEOUT_MS } = options;

  return async (message, signal) => {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const timedOut = new Error('timed out');
    const timer = setTimeout(() => over.abort(timedOut), timeoutMs);
    let outcome: WebhookOutcome;
    try {
      outcome = await attempt(message, options, either);
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = error === timedOut ? `gave no answer within ${timeoutMs / 1_000} s` : describe(error);
      outcome = { kind: 'retry', reason };
    } finally {
      clearTimeout(timer);
    }
    record(outcome.kind);
    // Logs only the host, because the rest of the address may contain secrets.
    const { id } = message;
    const words = outcome.kind === 'delivered' ? 'webhook delivered' : 'webhook not delivered';
    log.info({ webhook: id, host: URL.parse(message.url)?.host, ...outcome }, words);
    return outcome;
  };
}

async function attempt(
  message: WebhookMessage,
  { secrets, openDestinations, reach, now = Date.now, ca }: DeliverOptions,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const request = requestOf(message, { secrets, sentAtSeconds: Math.floor(now() / 1_000) });
  if (request === undefined) return { kind: 'retry', reason: 'WEBHOOK_SECRET is not set' };
  const url = URL.parse(message.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { kind: 'ended', reason: 'the address must start with http: or https:' };
  }
  const login = readLogin(url);
  if (login === 'malformed') {
    return { kind: 'ended', reason: 'the name and password in the address are not percent-encoded' };
  }
  const host = canonicalHost(url.hostname) ?? url.hostname;
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const decision = await raceAbort(openDestinations(message.egressAllow).decide(host, port), signal);
  if (!decision.allowed) {
    return decision.reason === 'not_allowed'
      ? { kind: 'ended', reason: 'the address is not allowed by EGRESS_ALLOW, EGRESS_DENY, EGRESS_ONLY or the key' }
      : { kind: 'retry', reason: 'its host name does not resolve' };
  }

  const sockets: Socket[] = [];
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const socket = await raceAbort(
      reach({ host, addresses: decision.addresses, port }, (each) => {
        sockets.push(each.on('error', () => each.destroy()));
        if (signal.aborted) each.destroy(); // a further address was dialled after the caller had stopped waiting
      }),
      signal,
    );
    const answer = await postOnce({ url, login, socket, ...request, ...(ca && { ca }) }, signal);
    return judge(answer.status, retryAfterMs(answer.retryAfter, now()));
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Every status except 2xx is a failure that is retried: the receiver may be fixed within the day. */
function judge(status: number, afterMs: number | undefined): WebhookOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE_STATUS) return { kind: 'ended', reason: `it answered ${status}: it accepts no more messages` };
  const isRedirect = status >= 300 && status < 400;
  const reason = `it answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`;
  return { kind: 'retry', reason, ...(afterMs !== undefined && { afterMs }) };
}

/** Returns only the code, because the text of such errors contains addresses. */
function describe(error: unknown): string {
  if (error instanceof DialError) return `the connection was ${error.failure}`;
  const code = errorCode(error);
  return code === undefined ? 'the connection was interrupted' : `the connection was interrupted (${code})`;
}

const MAX_MS = 86_400_000; // a day, after which webhooks are not retried

/**
 * Returns the delay of a Retry-After header in milliseconds, at most a day (RFC 9110 section 10.2.3). Undefined if it
 * is invalid.
 */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  // Accepts only the date format of HTTP, because Date.parse accepts almost anything.
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_MS);
}

interface Signing {
  readonly secrets: readonly WebhookSecret[];
  /** Unix time of this attempt: receivers refuse old messages. */
  readonly sentAtSeconds: number;
}

/** Returns method, headers and body. Undefined if a message must be signed, and there is no secret. */
function requestOf(
  { id, body }: WebhookMessage,
  signing: Signing,
): Pick<Post, 'method' | 'headers' | 'body'> | undefined {
  const agent = { 'User-Agent': 'capture-service' };
  if (typeof body !== 'string') {
    return { method: body.method, headers: { ...agent, ...body.headers }, body: body.bytes };
  }
  if (signing.secrets.length === 0) return undefined;
  const type = { 'Content-Type': 'application/json' };
  return { method: 'POST', headers: { ...type, ...agent, ...webhookHeaders({ id, body }, signing) }, body };
}

/**
 * Returns the headers of Standard Webhooks 1.0, with one signature per secret: during a rotation, receivers may have
 * either.
 */
function webhookHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  { secrets, sentAtSeconds }: Signing,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signed = `${id}.${sentAtSeconds}.${body}`;
  const signatures = secrets.map(
    ({ key }) => `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': `${sentAtSeconds}`,
    'webhook-signature': signatures.join(' '),
  };
}
