import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/core/egress/address.ts';
import { matchesAddress, matchesName, parseEgressRules } from '../../../src/core/egress/rules.ts';

function covers(list: string, host: string, port = 80): boolean {
  const rules = parseEgressRules(list);
  const address = parseAddress(host);
  return address === undefined ? matchesName(rules, host, port) : matchesAddress(rules, address, port);
}

describe('parseEgressRules', () => {
  it.each([
    ['a name', 'intranet.example', 'intranet.example', ['example', 'a.intranet.example', 'intranet.example.net']],
    ['a single-label name', 'redis', 'redis', ['redis.example.net', 'xredis']],
    ['an upper-case name', 'Intranet.Example', 'intranet.example', []],
    ['a suffix', '*.example.net', 'a.example.net', ['example.net', 'badexample.net', 'a.example.net.evil.org']],
    ['a longer suffix', '*.example.net', 'a.b.example.net', []],
    ['an address', '10.1.2.3', '10.1.2.3', ['10.1.2.4', '10.1.2.30']],
    ['an address that is requested as IPv6', '10.1.2.3', '::ffff:10.1.2.3', []],
    ['a mapped address', '::ffff:10.1.2.3', '10.1.2.3', ['10.1.2.4']],
    ['a mapped range', '::ffff:203.0.113.0/120', '203.0.113.7', ['203.0.114.7']],
    ['a range of NAT64', '64:ff9b::cb00:7100/120', '203.0.113.7', ['203.0.114.7']],
    ['all of NAT64', '64:ff9b::/96', '203.0.113.7', ['2606:4700::1']],
    ['a range', '10.1.0.0/16', '10.1.255.255', ['10.2.0.0', '::1', 'fd00::1']],
    ['all of IPv4', '0.0.0.0/0', '8.8.8.8', ['2606:4700::1']],
    ['an IPv6 address', 'fd00::1', 'fd00:0:0::1', ['fd00::2']],
    ['an IPv6 address in brackets', '[fd00::1]', 'fd00::1', ['fd00::2']],
    ['an IPv6 range', 'fd00::/8', 'fdff::1', ['fc00::1', '10.0.0.1']],
    ['a list with spaces and empty entries', ' , a.example ,, 10.0.0.1, ', '10.0.0.1', ['']],
  ])('parses %s', (_name, list, covered, others) => {
    expect(covers(list, covered)).toBe(true);
    expect(others.filter((host) => covers(list, host))).toEqual([]);
  });

  it.each([
    ['name:8080', 'name'],
    ['*.example:8080', 'a.example'],
    ['10.0.0.1:8080', '10.0.0.1'],
    ['10.0.0.0/8:8080', '10.9.9.9'],
    ['[fd00::1]:8080', 'fd00::1'],
    ['[fd00::/8]:8080', 'fd00::9'],
  ])('limits %s to its port', (list, host) => {
    expect([8080, 80, 808].map((port) => covers(list, host, port))).toEqual([true, false, false]);
  });

  it('is empty for a blank list', () => {
    expect(parseEgressRules(' , ')).toEqual([]);
  });

  it.each([
    ['http://a.example/'],
    ['a.example/path'],
    ['*'],
    ['*.'],
    ['a.*.example'],
    ['10.0.0.0/33'],
    ['10.0.0.1/x'],
    ['10.0.0.1:0'],
    ['10.0.0.1:65536'],
    ['10.0.0.1:http'],
    ['[fd00::1'],
    ['fd00::1%eth0'],
    ['user@a.example'],
    ['a b'],
    ['.example'],
    ['a..example'],
  ])('refuses %s and names it', (entry) => {
    expect(() => parseEgressRules(`10.0.0.1,${entry}`)).toThrow(`"${entry}"`);
  });
});
