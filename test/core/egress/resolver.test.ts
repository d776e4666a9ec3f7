import { mkdtemp, mkdtempDisposable, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHostsFile } from '../../../src/core/egress/resolver.ts';
import { createResolver } from '../../../src/core/egress/resolver.ts';
import { createDnsServer, type DnsScript } from '../../support/dns-server.ts';

const PUBLIC = '93.184.216.34';
/** Two attempts of two seconds, the second one slightly longer, plus tolerance for a busy machine. */
const LONGEST_MS = 9_000;

async function resolverOf(script: DnsScript, hosts: Readonly<Record<string, readonly string[]>> = {}) {
  const server = await createDnsServer(script);
  const resolve = createResolver({ servers: [server.address], hostsFile: (name) => hosts[name] ?? [] });
  return {
    resolve: (name: string) => resolve(name, false),
    resolveAsSystem: (name: string) => resolve(name, true),
    addressQueries: () => server.queries.filter((query) => query.startsWith('A ')),
    queries: server.queries,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('a resolver', () => {
  it('returns every address of a name, with one query per family', async () => {
    await using dns = await resolverOf(() => ({ addresses: [PUBLIC, '10.0.0.1'] }));

    expect(await dns.resolve('a.example.net')).toEqual([PUBLIC, '10.0.0.1']);
    expect(dns.addressQueries()).toEqual(['A a.example.net']);
  });

  it('caches nothing between captures', async () => {
    await using dns = await resolverOf((_name, number) => ({
      addresses: [number === 1 ? PUBLIC : '127.0.0.1'],
    }));

    expect(await dns.resolve('a.example.net')).toEqual([PUBLIC]);
    expect(await dns.resolve('a.example.net')).toEqual(['127.0.0.1']);
  });

  it('follows a CNAME to its addresses', async () => {
    await using dns = await resolverOf(() => ({ alias: 'internal.example.org', addresses: ['10.0.0.1'] }));

    expect(await dns.resolve('a.example.net')).toEqual(['10.0.0.1']);
  });

  it('keeps the first few of very many addresses', async () => {
    const addresses = Array.from({ length: 200 }, (_, index) => `93.184.216.${index}`);
    await using dns = await resolverOf(() => ({ addresses }));

    expect(await dns.resolve('a.example.net')).toEqual(addresses.slice(0, 16));
  });

  it.each([
    ['NXDOMAIN', 3],
    ['SERVFAIL', 2],
    ['REFUSED', 5],
    ['no address', 0],
  ])('returns nothing on %s', async (_name, code) => {
    await using dns = await resolverOf(() => ({ code }));

    expect(await dns.resolve('a.example.net')).toEqual([]);
  });

  it('returns nothing, in bounded time, if the server is silent', async () => {
    await using dns = await resolverOf(() => ({ silent: true }));
    const startedAt = performance.now();

    expect(await dns.resolve('a.example.net')).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(LONGEST_MS);
  });

  it('does not let slow names block others', async () => {
    await using dns = await resolverOf((name) =>
      name.startsWith('slow') ? { silent: true } : { addresses: [PUBLIC] },
    );
    const slow = Array.from({ length: 100 }, (_, index) => dns.resolve(`slow-${index}.example.net`));
    await Promise.race([Promise.all(slow), dns.resolve('warm-up.example.net')]);
    const startedAt = performance.now();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => dns.resolve(`fast-${index}.example.net`)),
    );

    // 20 concurrent lookups; with one thread each for 2 s they would take 10 s or more
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(answers).toEqual(answers.map(() => [PUBLIC]));
  });

  it('uses the hosts file without a DNS query', async () => {
    await using dns = await resolverOf(() => ({ addresses: [PUBLIC] }), {
      'a.example.net': ['10.0.0.1', '::1'],
    });

    expect(await dns.resolve('a.example.net')).toEqual(['10.0.0.1', '::1']);
    expect(dns.queries).toEqual([]);
  });

  it('resolves like the system if configured', async () => {
    await using dns = await resolverOf(() => ({ addresses: [PUBLIC] }));

    expect(await dns.resolveAsSystem('localhost')).toContain('127.0.0.1');
    expect(dns.queries).toEqual([]);
  });
});

describe('a hosts file', () => {
  it('returns all addresses of a name, case-insensitively and without comments', async () => {
    await using file = await hostsFileOf(`
# 10.9.9.9 a.example.net
10.0.0.1\ta.example.net  A2.Example.net # b.example.net
  ::1 a.example.net
10.0.0.2`);
    const hosts = createHostsFile(file.path);

    expect(hosts('a.example.net')).toEqual(['10.0.0.1', '::1']);
    expect(hosts('a2.example.net')).toEqual(['10.0.0.1']);
    expect(hosts('b.example.net')).toEqual([]);
    expect(hosts('constructor')).toEqual([]);
  });

  it('is reloaded after a change', async () => {
    await using file = await hostsFileOf('10.0.0.1 a.example.net');
    const hosts = createHostsFile(file.path);
    hosts('a.example.net');

    await file.write('10.0.0.2 a.example.net');

    expect(hosts('a.example.net')).toEqual(['10.0.0.2']);
  });

  it('is empty if the file cannot be read', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'hosts-'));
    const file = join(folder.path, 'hosts');
    await symlink(file, file);

    expect(createHostsFile(file)('localhost')).toEqual([]);
  });

  it('is empty if the file is missing', () => {
    expect(createHostsFile(join(tmpdir(), 'no-such-hosts-file'))('localhost')).toEqual([]);
  });
});

async function hostsFileOf(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-test-'));
  const path = join(folder, 'hosts');
  let time = 1_000_000;
  const write = async (content: string): Promise<void> => {
    await writeFile(path, content);
    await utimes(path, time, time++); // two writes may get the same timestamp from the file system
  };
  await write(text);
  return { path, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
