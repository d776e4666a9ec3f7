import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../../support/errors.ts';
import { capture } from '../../support/http.ts';
import { createOutgoingProxy, type OutgoingProxy } from '../../support/outgoing-proxy.ts';
import { PRIVATE_AUTHORITY } from '../../support/private-authority.ts';
import { SELF_SIGNED } from '../../support/self-signed.ts';
import { runService, startService, type RunningService } from '../../support/service.ts';

describe('EXTRA_CA_FILE', () => {
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
  let proxy: OutgoingProxy;
  let bucket: SecureSite;
  let service: RunningService;
  beforeAll(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'authorities-test-'));
    const file = join(folder.path, 'ca.pem');
    await writeFile(file, PRIVATE_AUTHORITY.authority);
    proxy = await createOutgoingProxy({ certificate: PRIVATE_AUTHORITY });
    bucket = await createSecureSite(PRIVATE_AUTHORITY);
    service = await startService(
      {
        EXTRA_CA_FILE: file,
        EGRESS_ALLOW: '127.0.0.0/8',
        PROXIES: `office=https://127.0.0.1:${proxy.port}`,
        STORAGE: 's3://bucket',
        STORAGE_ENDPOINT: bucket.url,
        STORAGE_ACCESS_KEY_ID: 'id',
        STORAGE_SECRET_ACCESS_KEY: 'secret',
        WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
      },
      { stores: true },
    );
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await Promise.all([proxy[Symbol.asyncDispose](), bucket[Symbol.asyncDispose](), folder.remove()]);
  });

  it('accepts certificates of a private authority for pages and their resources', async () => {
    await using site = await createSecureSite(PRIVATE_AUTHORITY);

    const answer = await capture(service.url, { url: site.url, format: 'markdown', main_content: false });

    expect([answer.status, answer.body.toString()]).toEqual([200, 'secure by script\n']);
  });

  it('refuses a certificate of another authority', async () => {
    await using site = await createSecureSite(SELF_SIGNED, '127.0.0.2');

    const answer = await capture(service.url, { url: site.url });

    expect(readError(answer)).toMatchObject({ status: 500, error_type: 'NavigationError' });
    expect(answer.body.toString()).toContain('certificate');
  });

  it('lets a proxy and a receiver of webhooks have such certificates', async () => {
    await using site = await createSecureSite(PRIVATE_AUTHORITY);
    const received = once(site.posts, 'received');

    const answer = await fetch(`${service.url}/jobs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ capture: { url: site.url, proxy: 'office' }, webhook_url: `${site.url}hook` }),
    });

    expect(answer.status).toBe(202);
    const [request]: IncomingMessage[] = await received;
    expect(request?.url).toBe('/hook');
    expect(proxy.targets).toContain(new URL(site.url).host);
  });

  it('lets a bucket have such a certificate', async () => {
    const received = once(bucket.posts, 'received');

    const answer = await capture(service.url, { html_content: 'x', store: true, store_path: 'a.png' });

    const [request]: IncomingMessage[] = await received;
    expect([answer.status, request?.method, request?.url]).toEqual([200, 'PUT', '/bucket/a.png']);
  });

  it.each([
    ['a file that does not exist', undefined, "it can't be read (ENOENT)"],
    ['a file without a certificate', 'nothing', 'it has no certificate in PEM'],
    ['a file with a private key', PRIVATE_AUTHORITY.authority + PRIVATE_AUTHORITY.key, 'it has a private key'],
    [
      'a certificate of a server',
      PRIVATE_AUTHORITY.cert,
      'certificate 1 (CN=127.0.0.1) is not of a certificate authority',
    ],
    ['half of a certificate', PRIVATE_AUTHORITY.authority.slice(0, 300), 'certificate 1 is not valid'],
  ])('is a clear error at start: %s', async (_what, content, problem) => {
    const file = join(folder.path, 'wrong.pem');
    if (content !== undefined) await writeFile(file, content);

    const { code, errors } = await runService({ EXTRA_CA_FILE: file });

    expect(code).toBe(1);
    expect(errors).toContain('EXTRA_CA_FILE');
    expect(errors).toContain(problem);
  });
});

interface SecureSite extends AsyncDisposable {
  readonly url: string;
  /** Emits `received` with each request that is not a GET. */
  readonly posts: NodeJS.EventEmitter;
}

async function createSecureSite(
  certificate: { readonly cert: string; readonly key: string },
  host = '127.0.0.1',
): Promise<SecureSite> {
  const listener: RequestListener = (request, response) => {
    if (request.method !== 'GET') server.emit('received', request);
    response.setHeader('ETag', '"1"'); // buckets send it
    response.setHeader('Content-Type', request.url === '/script.js' ? 'text/javascript' : 'text/html');
    response.end(
      request.url === '/script.js'
        ? 'document.body.append(" by script")'
        : '<body>secure<script src="/script.js"></script>',
    );
  };
  const server = createServer(certificate, listener).listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return {
    url: `https://${host}:${address.port}/`,
    posts: server,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
