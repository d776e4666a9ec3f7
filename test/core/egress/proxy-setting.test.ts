import { describe, expect, it } from 'vitest';
import { parseNoProxy, parseProxies, parseProxy } from '../../../src/core/egress/proxy-setting.ts';

describe('EGRESS_PROXY', () => {
  it.each([
    ['http://proxy.test', { protocol: 'http', host: 'proxy.test', port: 80 }],
    ['HTTP://Proxy.Test:3128/', { protocol: 'http', host: 'proxy.test', port: 3128 }],
    ['https://proxy.test', { protocol: 'https', host: 'proxy.test', port: 443 }],
    ['https://proxy.test:80', { protocol: 'https', host: 'proxy.test', port: 80 }],
    ['socks5://10.0.0.1', { protocol: 'socks5', host: '10.0.0.1', port: 1080 }],
    ['socks5h://[fd00::1]:9', { protocol: 'socks5', host: 'fd00::1', port: 9 }],
  ])('parses %s', (text, expected) => {
    expect(parseProxy(text)).toEqual({ ...expected, login: undefined });
  });

  it('parses user and password, percent-encoded', () => {
    expect(parseProxy('http://us%3Aer:p%40ss@proxy.test:1')?.login).toEqual({
      username: 'us:er',
      password: 'p@ss',
    });
  });

  it.each([
    'proxy.test:3128',
    'ftp://proxy.test',
    'http://',
    'http://proxy.test/path',
    'http://proxy.test?x',
    'http://user:%@proxy.test',
    'http://proxy.test:70000',
  ])('refuses %s', (text) => {
    expect(parseProxy(text)).toBeUndefined();
  });
});

describe('PROXIES', () => {
  it('parses names and proxies', () => {
    const proxies = parseProxies(' office=http://u:p=%2C@proxy.test:3128 , eu-1=socks5://10.0.0.1,');
    expect([...proxies].map(([name, { protocol, host, port, login }]) => [name, protocol, host, port, login])).toEqual([
      ['office', 'http', 'proxy.test', 3128, { username: 'u', password: 'p=,' }],
      ['eu-1', 'socks5', '10.0.0.1', 1080, undefined],
    ]);
  });

  it.each([
    ['http://user:hidden@proxy', 'entry 1 has no valid name'],
    ['a=http://proxy,B=http://user:hidden@proxy', 'entry 2 has no valid name'],
    ['a=http://proxy,a=http://user:hidden@proxy', 'a is there twice'],
    ['a=http://user:hidden@proxy/path', 'a is not a complete proxy URL'],
    ['a=http://user:hid,den@proxy', 'a is not a complete proxy URL'],
  ])('refuses %s without showing the password', (text, message) => {
    expect(() => parseProxies(text)).toThrow(message);
  });
});

describe('NO_PROXY', () => {
  const bypassesProxy = parseNoProxy('corp.test, .below.test,*.also.test 10.0.0.0/8,::1,one.test:81,<local>,a..b');

  it.each([
    ['corp.test', [], 80, true],
    ['www.corp.test', [], 80, true],
    ['notcorp.test', [], 80, false],
    ['www.below.test', [], 80, true],
    ['below.test', [], 80, false],
    ['www.also.test', [], 80, true],
    ['one.test', [], 81, true],
    ['one.test', [], 80, false],
    ['somewhere.test', ['10.1.2.3'], 80, true],
    ['10.1.2.3', ['10.1.2.3'], 80, true],
    ['11.1.2.3', ['11.1.2.3'], 80, false],
    ['::1', ['::1'], 80, true],
  ] as const)('of %s with the addresses %j, port %i: %s', (host, addresses, port, expected) => {
    expect(bypassesProxy(host, addresses, port)).toBe(expected);
  });

  it('may exempt everything', () => {
    expect(parseNoProxy('*')('anything.test', [], 80)).toBe(true);
    expect(parseNoProxy('')('anything.test', [], 80)).toBe(false);
  });
});
