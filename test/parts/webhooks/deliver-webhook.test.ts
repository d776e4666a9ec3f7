import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { createDestinationPolicy } from '../../../src/core/egress/destination.ts';
import { dial } from '../../../src/core/egress/gate/dial.ts';
import { dialByProxy } from '../../../src/core/egress/gate/dial-by-proxy.ts';
import { parseProxy } from '../../../src/core/egress/proxy-setting.ts';
import { type EgressRule, parseEgressRules } from '../../../src/core/egress/rules.ts';
import { createDeliverWebhook } from '../../../src/parts/webhooks/deliver-webhook.ts';
import { parseWebhookSecret } from '../../../src/parts/webhooks/webhook-secret.ts';
import type { WebhookOutcome } from '../../../src/parts/webhooks/webhook.ts';
import { createOutgoingProxy } from '../../support/outgoing-proxy.ts';
import { SELF_SIGNED } from '../../support/self-signed.ts';

const LOG = pino({ level: 'silent' });
const NEVER = new AbortController().signal;
const [SECRET, OLD_SECRET] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
const BODY = JSON.stringify({ id: 'job', state: 'done', title: 'Grüße 🎉' });

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Starts a receiver on loopback with the given answer, and records its requests. */
async function receiver(
  answer: RequestListener = (_, response) => response.end('thanks'),
  { address = '127.0.0.1', isSecure = false } = {},
): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body });
      answer(request, response);
    });
  };
  const server = isSecure ? createTlsServer(SELF_SIGNED, listener) : createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const found: AddressInfo | string | null = server.address();
  if (found === null || typeof found === 'string') throw new TypeError('no port');
  return { port: found.port, received };
}

type Options = Parameters<typeof createDeliverWebhook>[0];

interface Given extends Partial<Options> {
  readonly allow?: string;
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/** Delivers with a resolver that may return different addresses for each query. */
function deliver({ allow = '127.0.0.0/8', names = {}, ...given }: Given = {}) {
  const recorded: string[] = [];
  let queryCount = 0;
  const send = createDeliverWebhook({
    secrets: [SECRET].map((secret) => parseWebhookSecret(secret ?? '') ?? { key: Buffer.alloc(0) }),
    openDestinations: createDestinationPolicy({
      allow: parseEgressRules(allow),
      deny: [],
      resolve: async (name) => names[name]?.[queryCount++] ?? [],
      isOwnPort: () => false,
    }),
    reach: dial,
    log: LOG,
    record: (outcome) => recorded.push(outcome),
    ...given,
  });
  const to = (url: string, signal = NEVER, egressAllow?: readonly EgressRule[]): Promise<WebhookOutcome> =>
    send({ id: 'msg_1', url, body: BODY, egressAllow }, signal);
  return { to, recorded };
}

describe('a webhook', () => {
  it('is valid for the reference library, with unchanged JSON', async () => {
    const { port, received } = await receiver();

    const outcome = await deliver().to(`http://127.0.0.1:${port}/hooks/a?b=c`);

    const [{ method, url, headers, body } = {}] = received;
    expect(outcome).toEqual({ kind: 'delivered' });
    expect([method, url, headers?.['content-type'], headers?.['webhook-id']]).toEqual([
      'POST',
      '/hooks/a?b=c',
      'application/json',
      'msg_1',
    ]);
    expect(verify(SECRET, { headers, body })).toEqual(JSON.parse(BODY));
    expect(() => verify(SECRET, { headers, body: `${body} ` })).toThrow('No matching signature');
    expect(() => verify(OLD_SECRET, { headers, body })).toThrow('No matching signature');
  });

  it('goes only where the key of its job may go', async () => {
    const { port, received } = await receiver();
    const url = `http://127.0.0.1:${port}/`;

    const outcome = await deliver().to(url, NEVER, parseEgressRules('*.shop.example'));
    await deliver().to(url, NEVER, parseEgressRules('127.0.0.1'));

    expect(outcome).toEqual({
      kind: 'ended',
      reason: expect.stringContaining('is not allowed by EGRESS_ALLOW'),
    });
    expect(received).toHaveLength(1);
  });

  it('has a line in the log that says whether it came', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const { port } = await receiver();

    await deliver({ log }).to(`http://127.0.0.1:${port}/`);
    await deliver({ log }).to('http://nowhere.example/');

    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { msg: 'webhook delivered', kind: 'delivered' },
      { msg: 'webhook not delivered', kind: 'retry', reason: 'its host name does not resolve' },
    ]);
  });

  it('is valid with either key during key rotation', async () => {
    const { port, received } = await receiver();
    const secrets = [SECRET, OLD_SECRET].flatMap((secret) => parseWebhookSecret(secret ?? '') ?? []);

    await deliver({ secrets }).to(`http://127.0.0.1:${port}/`);

    for (const secret of [SECRET, OLD_SECRET]) expect(verify(secret, received[0])).toEqual(JSON.parse(BODY));
  });

  it('has the same id and a new timestamp on a retry', async () => {
    const { port, received } = await receiver();
    let nowMs = 1_000_000;
    const { to } = deliver({ now: () => nowMs });

    await to(`http://127.0.0.1:${port}/`);
    nowMs += 300_000;
    await to(`http://127.0.0.1:${port}/`);

    const sent = received.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']]);
    expect(sent).toEqual([
      ['msg_1', '1000'],
      ['msg_1', '1300'],
    ]);
    expect(new Set(received.map(({ headers }) => headers['webhook-signature'])).size).toBe(2);
  });

  it('sends the credentials of the URL to the receiver', async () => {
    const { port, received } = await receiver();

    await deliver().to(`http://a%40b:c@127.0.0.1:${port}/`);

    expect(received[0]?.headers.authorization).toBe(`Basic ${btoa('a@b:c')}`);
  });
});

function verify(secret: string | undefined, { headers, body }: Partial<Received> = {}): unknown {
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]);
  return new Webhook(secret ?? '').verify(body ?? '', Object.fromEntries(named));
}

/** A name that resolves to this machine and is allowed. */
function named(name: string): Given {
  return { allow: name, names: { [name]: [['127.0.0.1']] } };
}

describe('the destination of a webhook', () => {
  it.each([
    'http://127.0.0.1:9/',
    'http://[::1]:9/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706433/',
    'http://localhost/',
    'http://metadata.google.internal/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
  ])('is refused permanently: %s', async (url) => {
    const { to, recorded } = deliver({ allow: '' });

    expect(await to(url)).toEqual({ kind: 'ended', reason: expect.stringMatching(/^the address /) });
    expect(recorded).toEqual(['ended']);
  });

  it('is refused if its credentials cannot be decoded', async () => {
    expect(await deliver().to('http://a%:b@127.0.0.1:9/')).toEqual({
      kind: 'ended',
      reason: 'the name and password in the address are not percent-encoded',
    });
  });

  it('is refused if a public name resolves to a private address, among others', async () => {
    const { to } = deliver({ allow: '', names: { 'a.example': [['93.184.216.34', '10.0.0.1']] } });

    expect(await to('http://a.example/')).toMatchObject({ kind: 'ended' });
  });

  it.each([
    [['10.0.0.1', '93.184.216.34']],
    [['93.184.216.34', '::ffff:10.0.0.1']],
    [['93.184.216.34', '::ffff:7f00:1']],
    [['2606:2800:220:1::1', '64:ff9b::a00:1']],
    [['2606:2800:220:1::1', '2002:7f00:1::']],
    [['93.184.216.34', 'fd00::1']],
    [['0.0.0.0']],
    [['::']],
    [[...Array.from({ length: 200 }, () => '93.184.216.34'), '169.254.169.254']],
  ])('is refused for a name with any private address: %j', async (addresses) => {
    const outcome = await deliver({
      allow: '',
      names: { 'a.example': [addresses] },
      reach: async () => await Promise.reject(new Error('dialled')),
    }).to('http://a.example/');

    expect(outcome).toMatchObject({ kind: 'ended' });
  });

  it('is vetted again for each attempt: a name that becomes private ends the webhook', async () => {
    const dialled: unknown[] = [];
    const { to } = deliver({
      allow: '',
      names: { 'a.example': [['93.184.216.34'], ['127.0.0.1']] },
      reach: async (destination) => {
        dialled.push(destination);
        throw new Error('no answer');
      },
    });

    const outcomes = [await to('http://a.example/'), await to('http://a.example/')];

    expect(outcomes.map(({ kind }) => kind)).toEqual(['retry', 'ended']);
    expect(JSON.stringify(dialled)).not.toContain('127.0.0.1');
    expect(dialled).toHaveLength(1);
  });

  it('is the vetted address, even if the name resolves to another address a moment later', async () => {
    const [vetted, other] = [await receiver(), await receiver(undefined, { address: '127.0.0.2' })];
    const names = { 'a.example': [['127.0.0.1'], ['127.0.0.2']] };

    const outcome = await deliver({ allow: 'a.example', names }).to(`http://a.example:${vetted.port}/`);

    expect(outcome).toEqual({ kind: 'delivered' });
    expect(vetted.received[0]?.headers.host).toBe(`a.example:${vetted.port}`);
    expect(other.received).toEqual([]);
  });

  it('is retried for a name without an address, which may get one later', async () => {
    expect(await deliver().to('http://a.example/')).toEqual({
      kind: 'retry',
      reason: 'its host name does not resolve',
    });
  });

  it.each([
    ['http', 'http'],
    ['socks5', 'http'],
    ['http', 'https'],
    ['socks5', 'https'],
  ] as const)('is the vetted address through a %s proxy: %s', async (protocol, scheme) => {
    const { port } = await receiver(undefined, { isSecure: scheme === 'https' });
    await using server = await createOutgoingProxy({ requires: 'login' });
    const proxy = parseProxy(server.url(protocol));
    if (proxy === undefined) throw new Error('no proxy');
    const reach = dialByProxy({ proxy, bypassesProxy: () => false, log: LOG });

    const { to } = deliver({ ...named('site.example.net'), reach, ca: [SELF_SIGNED.cert] });
    const outcome = await to(`${scheme}://site.example.net:${port}/`);

    expect([outcome, server.targets]).toEqual([{ kind: 'delivered' }, [`127.0.0.1:${port}`]]);
  });

  it('does not change: redirects are not followed', async () => {
    const target = await receiver();
    const { port } = await receiver((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end();
    });

    const outcome = await deliver().to(`http://127.0.0.1:${port}/`);

    expect(outcome).toEqual({ kind: 'retry', reason: 'it answered 307, and redirects are not followed' });
    expect(target.received).toEqual([]);
  });

  it('is an IP address if the certificate is valid for it', async () => {
    const { port } = await receiver(undefined, { isSecure: true, address: '127.0.0.2' });

    const { to } = deliver({ ca: [SELF_SIGNED.cert] });

    expect(await to(`https://127.0.0.2:${port}/`)).toEqual({ kind: 'delivered' });
  });

  it('is refused unless its certificate is trusted and valid for its name', async () => {
    const { port, received } = await receiver(undefined, { isSecure: true });
    const ca = [SELF_SIGNED.cert];

    const outcomes = [
      await deliver({ ...named('site.example.net'), ca }).to(`https://site.example.net:${port}/`),
      await deliver(named('site.example.net')).to(`https://site.example.net:${port}/`),
      await deliver({ ...named('other.example'), ca }).to(`https://other.example:${port}/`),
    ];

    expect(outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'retry', reason: 'the connection was interrupted (DEPTH_ZERO_SELF_SIGNED_CERT)' },
      { kind: 'retry', reason: 'the connection was interrupted (ERR_TLS_CERT_ALTNAME_INVALID)' },
    ]);
    expect(received).toHaveLength(1);
  });
});

describe('the answer of a receiver', () => {
  it.each([
    [200, { kind: 'delivered' }],
    [204, { kind: 'delivered' }],
    [410, { kind: 'ended', reason: 'it answered 410: it accepts no more messages' }],
    [400, { kind: 'retry', reason: 'it answered 400' }],
    [404, { kind: 'retry', reason: 'it answered 404' }],
    [500, { kind: 'retry', reason: 'it answered 500' }],
  ])('%d: %j', async (status, outcome) => {
    const { port } = await receiver((_, response) => response.writeHead(status).end());

    expect(await deliver().to(`http://127.0.0.1:${port}/`)).toEqual(outcome);
  });

  it.each([
    ['7', 7_000],
    ['Thu, 01 Jan 1970 00:17:00 GMT', 20_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['99999999', 86_400_000],
    ['soon', undefined],
    ['-1', undefined],
  ])('is retried after Retry-After %s if it makes sense', async (header, afterMs) => {
    const { port } = await receiver((_, response) => {
      response.writeHead(503, { 'retry-after': header }).end();
    });

    const outcome = await deliver({ now: () => 1_000_000 }).to(`http://127.0.0.1:${port}/`);

    expect(outcome).toEqual({
      kind: 'retry',
      reason: 'it answered 503',
      ...(afterMs !== undefined && { afterMs }),
    });
  });

  it('is read no further than needed for its status', async () => {
    let written = 0;
    const { port } = await receiver((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });

    expect(await deliver().to(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'delivered' });
    expect(written).toBeLessThan(50_000_000);
  });

  // The message was sent seven more times within the day.
  it.each<[string, number, object]>([
    ['judged successful', 200, { kind: 'delivered' }],
    ['judged failed', 500, { kind: 'retry', reason: 'it answered 500' }],
  ])('with an endless body is %s by its status', async (_, status, outcome) => {
    const { port } = await receiver((_request, response) => response.writeHead(status).write('{'));

    expect(await deliver({ timeoutMs: 2_000 }).to(`http://127.0.0.1:${port}/`)).toEqual(outcome);
  });

  it.each<[string, RequestListener]>([
    ['no answer', () => undefined],
    ['an incomplete head', (request) => request.socket.write('HTTP/1.1 200 OK\r\n')],
  ])('is abandoned after a timeout: %s', async (_, answer) => {
    const { port } = await receiver(answer);

    expect(await deliver({ timeoutMs: 200 }).to(`http://127.0.0.1:${port}/`)).toEqual({
      kind: 'retry',
      reason: 'gave no answer within 0.2 s',
    });
  });

  it('leaves no connection that opens after the timeout', async () => {
    const { port } = await receiver();
    const late = Promise.withResolvers<boolean>();
    const reach: Options['reach'] = async (_target, onSocket) => {
      await new Promise((resolve) => setTimeout(resolve, 50)); // as the first of two addresses
      const socket = connect(port, '127.0.0.1');
      onSocket(socket);
      late.resolve(socket.destroyed);
      return socket;
    };

    await deliver({ reach, timeoutMs: 1 }).to(`http://127.0.0.1:${port}/`);

    expect(await late.promise).toBe(true);
  });

  it.each<[string, RequestListener]>([
    ['closed socket', (request) => request.socket.destroy()],
    ['another protocol', (request) => request.socket.end('SSH-2.0-x\r\n')],
  ])('is reported as a broken connection, without an address: %s', async (_, answer) => {
    const { port } = await receiver(answer);

    expect(await deliver().to(`http://127.0.0.1:${port}/`)).toEqual({
      kind: 'retry',
      reason: expect.stringMatching(/^the connection was interrupted \([A-Z_]+\)$/),
    });
  });

  it('is reported as a refused connection if nothing listens', async () => {
    expect(await deliver().to('http://127.0.0.1:9/')).toEqual({
      kind: 'retry',
      reason: 'the connection was refused',
    });
  });
});

describe('a service that shuts down', () => {
  it('aborts an attempt at once, without counting it', async () => {
    const closing = new AbortController();
    const { port, received } = await receiver(() => {
      closing.abort(new Error('closing'));
    });
    const { to, recorded } = deliver();

    await expect(to(`http://127.0.0.1:${port}/`, closing.signal)).rejects.toThrow('closing');
    expect([received.length, recorded]).toEqual([1, []]);
  });
});
