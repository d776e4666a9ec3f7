import { networkInterfaces } from 'node:os';
import { assert, asyncProperty } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNat64Prefix } from '../../../src/core/egress/address.ts';
import { canonicalHost, createDestinationPolicy, type Decision } from '../../../src/core/egress/destination.ts';
import { parseEgressRules } from '../../../src/core/egress/rules.ts';
import { privateUrls, publicUrls } from '../../support/address-spellings.ts';

const RUNS = 100;
const OWN_PORT = 8080;
const NOT_ALLOWED: Decision = { allowed: false, reason: 'not_allowed' };

interface Given {
  readonly nat64?: string;
  readonly allow?: string;
  readonly deny?: string;
  readonly only?: string;
  /** Addresses by name; other names do not resolve. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** True if there is a proxy that may know internal names. */
  readonly hasProxy?: boolean;
}

/** Returns a policy over a resolver that answers from a table and records its queries. */
function policy({ allow = '', deny = '', only, names = {}, hasProxy = false, nat64 }: Given = {}) {
  const lookups: { name: string; asSystem: boolean }[] = [];
  const open = createDestinationPolicy({
    allow: parseEgressRules(allow),
    deny: parseEgressRules(deny),
    only: only === undefined ? undefined : parseEgressRules(only),
    ...(nat64 !== undefined && { nat64: [parseNat64Prefix(nat64)] }),
    resolve: async (name, asSystem) => {
      lookups.push({ name, asSystem });
      return names[name] ?? [];
    },
    isOwnPort: (port) => port === OWN_PORT,
  });
  const decide = (host: string, port = 80): Promise<Decision> => open(undefined, () => hasProxy).decide(host, port);
  return { open, lookups, decide };
}

function allowed(...addresses: string[]): Decision {
  return { allowed: true, addresses };
}

describe('a destination', () => {
  it(`is refused in ${RUNS} random spellings of private addresses`, async () => {
    const { decide, lookups } = policy();

    await assert(
      asyncProperty(privateUrls, async (url) => {
        expect(await decide(new URL(url).hostname, 443)).toEqual(NOT_ALLOWED);
      }),
      { numRuns: RUNS },
    );
    expect(lookups).toEqual([]);
  });

  it(`is allowed in ${RUNS} random spellings of public addresses`, async () => {
    const { decide } = policy();

    await assert(
      asyncProperty(publicUrls, async (url) => {
        expect(await decide(new URL(url).hostname, 443)).toMatchObject({ allowed: true });
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['Public.Example.NET', 'a name in capitals'],
    ['public.example.net.', 'a name with the dot of the root'],
    ['public%2Eexample.net', 'an escaped name'],
    ['ｐublic.example.net', 'full-width letters'],
  ])('is canonicalised like in a browser: %s', async (host) => {
    const { decide, lookups } = policy({ names: { 'public.example.net': ['93.184.216.34'] } });

    expect(await decide(host)).toEqual(allowed('93.184.216.34'));
    expect(lookups).toEqual([{ name: 'public.example.net', asSystem: false }]);
  });

  it.each([
    ['127.0.0.1'],
    ['127.1'],
    ['0x7f000001'],
    ['::1'],
    ['[::1]'],
    ['::FFFF:127.0.0.1'],
    ['127。0。0。1'],
    ['①27.0.0.1'],
    ['127.0.0.1.'],
    ['localhost'],
    ['LOCALHOST.'],
    ['foo.localhost'],
    ['metadata.google.internal'],
    ['metadata.google.internal.'],
    ['instance-data'],
    ['redis'],
    ['kubernetes.default.svc'],
    ['api.default.svc.cluster.local'],
    ['host.docker.internal'],
    ['printer.local'],
    ['router.lan'],
    ['nas.home.arpa'],
    ['x.test'],
    ['x.invalid'],
    ['x.onion'],
    ['wpad'],
    [''],
    [' '],
    ['.'],
    ['a b'],
    ['a/b'],
    ['user@a.example.net'],
    ['a.example.net:80'],
    ['a.example.net#b'],
    ['a.example.net?b'],
    ['a\0.example.net'],
    ['fe80::1%eth0'],
    ['[::1'],
  ])('is refused without a DNS query: %j', async (host) => {
    const { decide, lookups } = policy({ names: new Proxy({}, { get: () => ['93.184.216.34'] }) });

    expect(await decide(host)).toEqual(NOT_ALLOWED);
    expect(lookups).toEqual([]);
  });

  it.each([
    ['localhost..'],
    ['a..example.net'],
    ['.example.net'],
    [`${'a'.repeat(64)}.example.net`],
    [`${'a.'.repeat(130)}example.net`],
  ])('is unresolved without a DNS query: %j', async (host) => {
    const { decide, lookups } = policy({ names: new Proxy({}, { get: () => ['93.184.216.34'] }) });

    expect(await decide(host)).toEqual({ allowed: false, reason: 'unresolved' });
    expect(lookups).toEqual([]);
  });

  it('is refused if a name resolves to a private address', async () => {
    const names = { 'a.example.net': ['10.0.0.1'], 'b.example.net': ['::ffff:10.0.0.1'] };
    const { decide } = policy({ names });

    expect(await decide('a.example.net')).toEqual(NOT_ALLOWED);
    expect(await decide('b.example.net')).toEqual(NOT_ALLOWED);
  });

  it.each([
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['93.184.216.34', '93.184.216.35', '::1']],
    [['93.184.216.34', 'fd00::1', '2606:4700::1']],
    [['93.184.216.34', 'not an address']],
  ])('is refused if any resolved address is private: %j', async (addresses) => {
    const { decide } = policy({ names: { 'a.example.net': addresses } });

    expect(await decide('a.example.net')).toEqual(NOT_ALLOWED);
  });

  it('is unresolved if its name has no address', async () => {
    expect(await policy().decide('a.example.net')).toEqual({ allowed: false, reason: 'unresolved' });
  });

  it('is resolved once per capture, however often it is requested, and again in the next', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const open = createDestinationPolicy({
      allow: [],
      deny: [],
      resolve: async () => answers.shift() ?? [],
      isOwnPort: () => false,
    });
    const [first, second] = [open(), open()];

    const decisions = await Promise.all([
      first.decide('a.example.net', 80),
      first.decide('A.example.net.', 443),
      first.decide('a.example.net', 80),
    ]);

    expect(decisions).toEqual([allowed('93.184.216.34'), allowed('93.184.216.34'), allowed('93.184.216.34')]);
    expect(answers).toHaveLength(1);
    expect(await second.decide('a.example.net', 80)).toEqual(NOT_ALLOWED);
  });
});

describe('EGRESS_ALLOW', () => {
  it.each([
    ['an address', '127.0.0.2', '127.0.0.2'],
    ['a range', '127.0.0.0/8', '127.9.9.9'],
    ['a range, for another spelling', '127.0.0.0/8', '0x7f000002'],
    ['an IPv6 range', 'fd00::/8', 'fd00::9'],
  ])('allows %s', async (_name, allow, host) => {
    expect(await policy({ allow }).decide(host)).toMatchObject({ allowed: true });
  });

  it.each([
    ['a name', 'redis', 'redis'],
    ['a suffix', '*.svc.cluster.local', 'api.default.svc.cluster.local'],
    ['a name that looks public', 'intranet.example.net', 'intranet.example.net'],
  ])('allows %s, whatever it resolves to', async (_name, allow, host) => {
    const { decide } = policy({ allow, names: { [host]: ['10.0.0.7'] } });

    expect(await decide(host)).toEqual(allowed('10.0.0.7'));
  });

  it('resolves internal names like other programs on this machine', async () => {
    const { decide, lookups } = policy({ allow: 'redis,intranet.example.net' });

    await decide('redis');
    await decide('intranet.example.net');

    expect(lookups).toEqual([
      { name: 'redis', asSystem: true },
      { name: 'intranet.example.net', asSystem: false },
    ]);
  });

  it('allows a range for names that resolve into it, unless one answer is outside', async () => {
    const names = { 'a.example.net': ['127.0.0.2'], 'b.example.net': ['127.0.0.2', '127.0.0.1'] };
    const { decide } = policy({ allow: '127.0.0.2/32', names });

    expect(await decide('a.example.net')).toEqual(allowed('127.0.0.2'));
    expect(await decide('b.example.net')).toEqual(NOT_ALLOWED);
  });

  it('does not allow a special name because its address is allowed', async () => {
    expect(await policy({ allow: '127.0.0.0/8', names: { localhost: ['127.0.0.1'] } }).decide('localhost')).toEqual(
      NOT_ALLOWED,
    );
  });

  it('allows a single port', async () => {
    const { decide } = policy({ allow: '127.0.0.2:8000' });

    expect(await decide('127.0.0.2', 8000)).toEqual(allowed('127.0.0.2'));
    expect(await decide('127.0.0.2', 8001)).toEqual(NOT_ALLOWED);
  });

  it.each(['127.0.0.1', '127.0.0.2', '::1', '0.0.0.0', '::ffff:127.0.0.1', '[64:ff9b::7f00:1]', ...ownAddresses()])(
    'does not allow ports of the service: %s',
    async (host) => {
      const { decide } = policy({ allow: '0.0.0.0/0,::/0' });

      expect(await decide(host, OWN_PORT)).toEqual(NOT_ALLOWED);
      expect(await decide(host, OWN_PORT + 1)).toMatchObject({ allowed: true });
    },
  );

  it('does not allow ports of the service by name', async () => {
    const { decide } = policy({ allow: 'localhost', names: { localhost: ['127.0.0.1'] } });

    expect(await decide('localhost', OWN_PORT)).toEqual(NOT_ALLOWED);
    expect(await decide('localhost', OWN_PORT + 1)).toEqual(allowed('127.0.0.1'));
  });
});

describe('EGRESS_DENY', () => {
  it.each([
    ['a public address', '93.184.216.34', '93.184.216.34'],
    ['a public address in another spelling', '93.184.216.34', '::ffff:93.184.216.34'],
    ['a range', '93.0.0.0/8', '93.184.216.34'],
    ['a name', 'a.example.net', 'a.example.net'],
    ['a suffix', '*.example.net', 'a.example.net'],
    ['an address that a name resolves to', '93.184.216.34', 'a.example.net'],
  ])('blocks %s, whatever is allowed', async (_name, deny, host) => {
    const allow = '0.0.0.0/0,::/0,*.example.net';
    const { decide } = policy({ allow, deny, names: { 'a.example.net': ['93.184.216.34'] } });

    expect(await decide(host)).toEqual(NOT_ALLOWED);
  });

  it('sends no DNS query for a blocked name', async () => {
    const { decide, lookups } = policy({ deny: '*.example.net' });

    await decide('a.example.net');

    expect(lookups).toEqual([]);
  });

  it('blocks a single port', async () => {
    const { decide } = policy({ deny: '93.184.216.34:25' });

    expect(await decide('93.184.216.34', 25)).toEqual(NOT_ALLOWED);
    expect(await decide('93.184.216.34', 80)).toEqual(allowed('93.184.216.34'));
  });
});

describe('EGRESS_ONLY', () => {
  const names = { 'a.shop.example': ['93.184.216.34'], 'b.example': ['93.184.216.35'], 'c.shop.example': ['10.0.0.1'] };

  it('allows only what it names, and never more than the other rules', async () => {
    const { decide, lookups } = policy({ only: '*.shop.example, 192.0.2.0/24', names });

    expect(await decide('a.shop.example')).toEqual(allowed('93.184.216.34'));
    for (const host of ['b.example', '8.8.8.8', 'c.shop.example', '127.0.0.1'])
      expect(await decide(host)).toEqual(NOT_ALLOWED);
    expect(lookups.map(({ name }) => name)).toContain('b.example'); // a range is named, too
  });

  it('asks no DNS server about other names, if it has names alone', async () => {
    const { decide, lookups } = policy({ only: 'a.shop.example', names });

    expect(await decide('b.example')).toEqual(NOT_ALLOWED);
    expect(lookups).toEqual([]);
  });

  it('and the rules of a key both narrow', async () => {
    const { open } = policy({ only: '*.shop.example', names });
    const decide = (host: string): Promise<Decision> =>
      open(parseEgressRules('a.shop.example, b.example')).decide(host, 80);

    expect(await decide('a.shop.example')).toEqual(allowed('93.184.216.34'));
    expect(await decide('b.example')).toEqual(NOT_ALLOWED);
  });
});

describe('canonicalHost', () => {
  it.each([
    ['EXAMPLE.net.', 'example.net'],
    ['2130706433', '127.0.0.1'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
  ])('turns %s into the host %s', (given, host) => {
    expect(canonicalHost(given)).toBe(host);
  });
});

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0).map(({ address }) => address);
}

describe('a name that does not resolve', () => {
  const UNRESOLVED: Decision = { allowed: false, reason: 'unresolved' };

  it('is left to a proxy only if EGRESS_ALLOW names it', async () => {
    const { decide } = policy({ allow: 'far.test,*.below.test,10.0.0.0/8', hasProxy: true });

    expect(await decide('far.test')).toEqual(allowed());
    expect(await decide('www.below.test')).toEqual(allowed());
    expect(await decide('other.test')).toEqual(NOT_ALLOWED); // a special name, for which no DNS query is sent
    expect(await decide('unknown.example')).toEqual(UNRESOLVED);
  });

  it('is refused without a proxy, and if EGRESS_DENY names it', async () => {
    const withoutProxy = policy({ allow: 'far.test' });
    const denied = policy({ allow: '*.test', deny: 'far.test', hasProxy: true });

    expect(await withoutProxy.decide('far.test')).toEqual(UNRESOLVED);
    expect(await denied.decide('far.test')).toEqual(NOT_ALLOWED);
  });
});

describe('a denied name', () => {
  const names = {
    'admin.example': ['10.0.0.5', 'fd00::5'],
    'alias.example.net': ['10.0.0.5'],
    'wiki.example.net': ['10.0.0.6'],
    'apps.example': ['10.0.0.5'],
    'public.example.net': ['93.184.216.34'],
  };
  const denying = (deny: string, allow = '10.0.0.0/8,fd00::/8') => policy({ allow, deny, names });

  it.each(['10.0.0.5', '[fd00::5]', '[::ffff:10.0.0.5]', 'alias.example.net'])(
    'is also blocked as %s if a range of EGRESS_ALLOW would allow it',
    async (host) => {
      expect(await denying('').decide(host)).toMatchObject({ allowed: true });
      expect(await denying('admin.example').decide(host)).toEqual(NOT_ALLOWED);
    },
  );

  it('is cached for a while, for its port alone, and keeps its neighbours reachable', async () => {
    const { decide, lookups } = denying('admin.example:8443');

    expect(await decide('10.0.0.5', 80)).toEqual(allowed('10.0.0.5'));
    expect(await decide('10.0.0.5', 8_443)).toEqual(NOT_ALLOWED);
    expect(await decide('alias.example.net', 8_443)).toEqual(NOT_ALLOWED);
    expect(await decide('wiki.example.net', 8_443)).toEqual(allowed('10.0.0.6'));
    expect(lookups.filter(({ name }) => name === 'admin.example')).toHaveLength(1);
  });

  it('does not block public addresses and those in EGRESS_ALLOW: many names share such an address', async () => {
    expect(await denying('admin.example', 'apps.example').decide('apps.example')).toEqual(allowed('10.0.0.5'));
    const { decide, lookups } = denying('public.example.net');
    expect(await decide('93.184.216.34')).toEqual(allowed('93.184.216.34'));
    expect(lookups).toEqual([]);
  });
});

describe("an address under a network's own NAT64 prefix", () => {
  it.each([
    ['2001:db8::/96', '2001:db8::a00:1', '2001:db8::808:808'],
    ['2001:db8:1::/64', '2001:db8:1:0:a:0:100:0', '2001:db8:1:0:8:808:800:0'],
    ['2001:db8:1:200::/56', '2001:db8:1:20a:0:1:0:0', '2001:db8:1:208:8:808::'],
    ['2001:db8:1::/48', '2001:db8:1:a00:0:100::', '2001:db8:1:808:8:800::'],
    ['2001:db8:100::/40', '2001:db8:10a:0:1::', '2001:db8:108:808:8::'],
    ['2a00:db8::/32', '2a00:db8:a00:1::', '2a00:db8:808:808::'],
  ])('of %s maps to the embedded address: %s and %s', async (nat64, inside, outside) => {
    const { decide } = policy({ nat64 });

    expect(await decide(inside)).toEqual(NOT_ALLOWED);
    expect(await decide(outside)).toEqual(allowed(outside));
    expect(await policy({ nat64, deny: '8.8.8.8' }).decide(outside)).toEqual(NOT_ALLOWED);
    expect(await policy({ nat64, deny: outside }).decide(outside)).toEqual(NOT_ALLOWED);
  });
});
