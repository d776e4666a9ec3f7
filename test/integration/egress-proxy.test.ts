import { describe, expect, it } from 'vitest';
import { createFixtureSite } from '../support/fixture-site.ts';
import { capture } from '../support/http.ts';
import { createOutgoingProxy } from '../support/outgoing-proxy.ts';
import { startService } from '../support/service.ts';
import { readError } from '../support/errors.ts';

const PASSWORD = /p(ass:w|ass%3Aw)/;

describe('a service behind a proxy', () => {
  it.each(['http', 'socks5'] as const)(
    'opens every allowed connection of a page through its %s proxy, and no other',
    async (protocol) => {
      await using proxy = await createOutgoingProxy({
        requires: 'login',
        names: { 'far.test': '127.0.0.1' },
      });
      await using site = await createFixtureSite();
      await using service = await startService({
        EGRESS_PROXY: proxy.url(protocol),
        EGRESS_ALLOW: '127.0.0.1,far.test',
      });
      const { port } = new URL(site.origin);
      const cross = new URL(site.crossSiteOrigin).host;
      const html_content = [
        `<img src="${site.url('/picture.png')}">`,
        `<img src="http://far.test:${port}/picture.png">`,
        `<img src="http://${cross}/picture.png">`, // another loopback address: blocked
        '<img src="http://10.0.0.1/picture.png">',
        `<img src="http://127.0.0.1:${proxy.port}/">`, // the proxy itself
      ].join('');

      const answer = await capture(service.url, { html_content });

      expect(answer.status).toBe(200);
      expect(new Set(proxy.targets)).toEqual(new Set([`127.0.0.1:${port}`, `far.test:${port}`]));
      expect(site.requests.length).toBeGreaterThanOrEqual(2);
      expect(new Set(proxy.logins).size).toBe(1);
    },
  );

  it('opens no direct connection if the proxy refuses, and reports it without the password', async () => {
    await using proxy = await createOutgoingProxy({ refusesWith: 407 });
    await using site = await createFixtureSite();
    await using service = await startService({ EGRESS_PROXY: proxy.url('http') });

    const answer = await capture(service.url, { url: site.url('/plain') });

    expect(readError(answer)).toMatchObject({
      status: 500,
      error_type: 'NavigationError',
      message: 'The page could not be loaded: the outgoing proxy of the service refuses the connection',
    });
    expect(site.requests).toEqual([]);
    await service.stop();
    expect(service.logs()).toContainEqual(
      expect.objectContaining({ msg: 'the outgoing proxy failed to connect', reason: 'it answered 407' }),
    );
    expect(service.output() + JSON.stringify(answer)).not.toMatch(PASSWORD);
    expect(service.output()).not.toContain(`:${proxy.port}`);
  });

  it('bypasses the proxy for hosts in NO_PROXY', async () => {
    await using proxy = await createOutgoingProxy();
    await using site = await createFixtureSite();
    await using service = await startService({ EGRESS_PROXY: proxy.url('socks5'), NO_PROXY: '127.0.0.0/8' });

    const answer = await capture(service.url, { url: site.url('/plain') });

    expect(answer.status).toBe(200);
    expect(proxy.targets).toEqual([]);
  });
});
