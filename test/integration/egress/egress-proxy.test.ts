import { describe, expect, it } from 'vitest';
import { createFixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { createOutgoingProxy } from '../../support/outgoing-proxy.ts';
import { startService } from '../../support/service.ts';
import { readError } from '../../support/errors.ts';

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

describe('a proxy of PROXIES', () => {
  it('gets all connections of a capture that names it, instead of EGRESS_PROXY and in spite of NO_PROXY', async () => {
    await using usual = await createOutgoingProxy();
    await using office = await createOutgoingProxy({ requires: 'login', names: { 'far.test': '127.0.0.1' } });
    await using site = await createFixtureSite();
    await using service = await startService({
      EGRESS_PROXY: usual.url('http'),
      NO_PROXY: '127.0.0.1',
      PROXIES: `office=${office.url('socks5')}`,
      EGRESS_ALLOW: '127.0.0.1,far.test',
      AUTH_TOKEN: 't0ken',
      URL_SIGNING_SECRET: 'a-signing-secret-of-32-characters',
    });
    const { port } = new URL(site.origin);
    const cross = new URL(site.crossSiteOrigin).host;
    const html_content = [
      `<img src="http://far.test:${port}/picture.png">`,
      `<img src="http://${cross}/picture.png">`, // another loopback address: blocked
      `<img src="http://127.0.0.1:${office.port}/">`, // the proxy itself
    ].join('');
    const token = 't0ken';
    const posted = await capture(service.url, { html_content, proxy: 'office' }, { token });
    expect(posted.status).toBe(200);
    expect(new Set(office.targets)).toEqual(new Set([`far.test:${port}`]));

    const signed = await fetch(`${service.url}/sign`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ params: { url: site.url('/plain'), proxy: 'office' } }),
    });
    const { signed_url: link } = Object(await signed.json());
    expect((await fetch(String(link))).status).toBe(200);
    expect(office.targets).toContain(`127.0.0.1:${port}`);
    expect(usual.targets).toEqual([]);

    const before = office.targets.length;
    expect((await capture(service.url, { url: site.url('/plain') }, { token })).status).toBe(200);
    expect(office.targets.length).toBe(before);
    expect(service.output()).not.toMatch(PASSWORD);
  });

  it('is refused by an unknown name, and its failure is reported without its address', async () => {
    await using proxy = await createOutgoingProxy({ refusesWith: 407 });
    await using site = await createFixtureSite();
    const settings = { PROXIES: `eu=${proxy.url('http')},us=${proxy.url('http')}` };
    await using service = await startService(settings, { stores: true });
    const url = site.url('/plain');

    const unknown = {
      status: 400,
      error_type: 'ValidationError',
      error_details: 'proxy: must be a name in PROXIES: eu, us',
    };
    expect(readError(await capture(service.url, { url, proxy: 'asia' }))).toMatchObject(unknown);
    const inBatch = await fetch(`${service.url}/jobs/batch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ captures: [{ url, proxy: 'asia' }] }),
    });
    expect(await inBatch.json()).toMatchObject({ error_details: `captures[0]: ${unknown.error_details}` });
    const failed = await capture(service.url, { url, proxy: 'us' });
    expect(readError(failed)).toMatchObject({
      status: 500,
      error_type: 'NavigationError',
      message: 'The page could not be loaded: the outgoing proxy of the service refuses the connection',
    });
    expect(site.requests).toEqual([]);
    await service.stop();
    expect(service.logs()).toContainEqual(
      expect.objectContaining({ msg: 'the outgoing proxy failed to connect', proxy: 'us' }),
    );
    expect(service.output() + JSON.stringify(failed)).not.toMatch(PASSWORD);
    expect(service.output()).not.toContain(`:${proxy.port}`);
  });
});
