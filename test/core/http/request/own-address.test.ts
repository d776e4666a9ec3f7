import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createExpress } from '../../../../src/core/http/app.ts';
import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { ownAddress } from '../../../../src/core/http/request/own-address.ts';

type Headers = Readonly<Record<string, string>>;

/** Returns the origin of links in an answer to these headers, or the error. */
async function originFor(headers: Headers, trusted: readonly string[] | false = ['loopback']): Promise<string> {
  const app = createExpress();
  app.set('trust proxy', trusted);
  app.use((called, response) => {
    try {
      response.end(ownAddress(called));
    } catch (error) {
      response.end(error instanceof ServiceError ? error.details : String(error));
    }
  });
  const { text } = await request(app)
    .get('/')
    .set({ Host: 'service.example', ...headers });
  return text;
}

describe('ownAddress', () => {
  it.each(['https', 'HTTPS', 'Https '])('accepts the scheme %j from a trusted proxy', async (scheme) => {
    expect(await originFor({ 'X-Forwarded-Proto': scheme })).toBe('https://service.example');
  });

  it.each([
    'javascript',
    'no scheme',
    'ht tps',
    'https://evil.example/?',
    'https, http',
    'http,https',
    ',https',
    'ftp',
    'https:',
    'data',
    '0',
  ])('uses the scheme of the connection for X-Forwarded-Proto %j', async (scheme) => {
    expect(await originFor({ 'X-Forwarded-Proto': scheme })).toBe('http://service.example');
  });

  it('accepts host and port from a trusted proxy', async () => {
    expect(await originFor({ 'X-Forwarded-Host': 'public.example:8443' })).toBe('http://public.example:8443');
    expect(await originFor({ 'X-Forwarded-Host': '[2001:db8::1]' })).toBe('http://[2001:db8::1]');
  });

  it.each([
    'evil.example/path',
    'user@evil.example',
    'evil.example?',
    'evil.example#',
    'evil example',
    'host:65536',
    'host:port',
    '[::1::2]',
    '[::1',
    '999.1.1.1',
    '.',
    '"quoted"',
  ])('uses the Host header for X-Forwarded-Host %j', async (host) => {
    expect(await originFor({ 'X-Forwarded-Host': host })).toBe('http://service.example');
  });

  it.each(['evil.example/path', 'a b', 'host:65536', '[::1::2]', '999.1.1.1', 'user@host', ''])(
    'refuses the Host header %j',
    async (host) => {
      expect(await originFor({ Host: host })).toBe('The Host header is not a valid name or address');
    },
  );

  it.each<Headers>([
    { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' },
    { Forwarded: 'for=192.0.2.1;host=evil.example;proto=https' },
    { 'X-Forwarded-Port': '1', 'X-Forwarded-Prefix': '/evil', 'X-Forwarded-Scheme': 'https' },
    { 'X-Original-Host': 'evil.example', 'X-Original-URL': '/evil', 'X-Host': 'evil.example' },
  ])('ignores %j without TRUST_PROXY', async (headers) => {
    expect(await originFor(headers, false)).toBe('http://service.example');
  });

  it.each<Headers>([
    { Forwarded: 'for=192.0.2.1;host=evil.example;proto=https' },
    { 'X-Forwarded-Port': '1', 'X-Forwarded-Prefix': '/evil', 'X-Forwarded-Scheme': 'https' },
  ])('ignores %j, which are not supported proxy headers', async (headers) => {
    expect(await originFor(headers)).toBe('http://service.example');
  });
});
