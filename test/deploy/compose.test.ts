import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig, SETTINGS } from '../support/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLOSING_SECONDS = 17; // worst case for connections, gates and the browser: the closers of service.ts

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { services, networks } = z
  .looseObject({
    services: z.record(
      z.string(),
      z.looseObject({
        image: z.string(),
        environment: z.record(z.string(), z.string()).default({}),
        ports: z.array(z.string()).default([]),
        volumes: z.array(z.string()).default([]),
        networks: z.array(z.string()),
        cap_drop: z.array(z.string()),
        security_opt: z.array(z.string()),
        stop_grace_period: z.string().default('10s'),
      }),
    ),
    networks: z.record(z.string(), z.looseObject({ internal: z.boolean().default(false) })),
  })
  .parse(parse(read('compose.yaml'), { merge: true }));
const ours = services['capture-service'];

const commandOf = (name: string): string => JSON.stringify(services[name]?.['command']);

describe('compose.yaml', () => {
  it('has a Redis for jobs that evicts nothing, and another one for the cache', () => {
    expect(loadConfig(ours?.environment ?? {})).toMatchObject({
      redisUrl: 'redis://redis:6379',
      cacheRedisUrl: 'redis://cache:6379',
    });
    expect(commandOf('redis')).toContain('"--maxmemory-policy","noeviction"');
    expect(commandOf('redis')).toContain('"--appendonly","yes"');
    expect(commandOf('cache')).toContain('"--maxmemory-policy","allkeys-lru"');
  });

  it('builds an image with Docker before 25, which has no start-interval', () => {
    expect(read('Dockerfile')).not.toMatch(/^HEALTHCHECK.*--start-interval/m);
  });

  it('sets only settings that the service knows and accepts', () => {
    const known: readonly string[] = SETTINGS.map(({ name }) => name);
    const { environment = {} } = ours ?? {};

    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(loadConfig(environment)).toMatchObject({ host: '0.0.0.0', port: 8080, metricsPort: 9090 });
  });

  it('waits until running captures have finished', () => {
    const { shutdownDelayMs, shutdownGraceMs } = loadConfig(ours?.environment ?? {});

    expect(Number.parseInt(ours?.stop_grace_period ?? '', 10)).toBeGreaterThan(
      (shutdownDelayMs + shutdownGraceMs) / 1_000 + CLOSING_SECONDS,
    );
  });

  it.each(Object.entries(services))('gives %s no capability, and no port to other machines', (_name, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect(service.ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(service.image).not.toMatch(/:latest$/);
  });

  it('connects only the service and its worker to the outside network', () => {
    const outside = Object.entries(services).filter(([, { networks: ofService }]) => ofService.includes('outside'));

    expect(outside.map(([name]) => name)).toEqual(['capture-service', 'worker']);
    expect(networks['inside']?.internal).toBe(true);
  });

  it('mounts only existing files', () => {
    const folders = Object.values(services).flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => source.startsWith('.')),
    );

    expect(folders.length).toBeGreaterThan(2);
    expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
  });
});

describe('deploy/seccomp.json', () => {
  const rule = z.strictObject({
    names: z.array(z.string()),
    action: z.string(),
    errnoRet: z.number().optional(),
    args: z.unknown().optional(),
    comment: z.string().optional(),
  });
  // Members of Docker's own format (archMap, includes, excludes) would be ignored by containerd, so all its conditions
  // would be true.
  const profile = z.strictObject({
    defaultAction: z.string(),
    defaultErrnoRet: z.number(),
    architectures: z.array(z.string()),
    syscalls: z.array(rule),
  });
  const { defaultAction, architectures, syscalls } = profile.parse(JSON.parse(read('deploy/seccomp.json')));

  it('is the profile that the service starts with', () => {
    expect(ours?.security_opt).toContain('seccomp:deploy/seccomp.json');
  });

  it('refuses unlisted system calls, and allows those of the browser sandbox', () => {
    const allowed = syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);

    expect(defaultAction).toBe('SCMP_ACT_ERRNO');
    // With `socketcall`, a 32-bit program could open the sockets that the filter of `socket` refuses.
    expect(architectures).toEqual(['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64']);
    expect(allowed).toEqual(expect.arrayContaining(['chroot', 'clone', 'unshare']));
    for (const never of [
      'mount',
      'bpf',
      'init_module',
      'kexec_load',
      'setns',
      'perf_event_open',
      'clone3',
      'syslog',
      'socketcall',
    ])
      expect(allowed).not.toContain(never);
  });
});

describe('deploy/systemd/capture-service.service', () => {
  const lines = read('deploy/systemd/capture-service.service').split('\n');
  const valueOf = (name: string): string =>
    lines.findLast((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';

  it('waits until running captures have finished', () => {
    const { shutdownGraceMs } = loadConfig({});

    expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(shutdownGraceMs / 1_000 + CLOSING_SECONDS);
  });

  it('runs the service with the Node of its packages', () => {
    expect(valueOf('ExecStart')).toBe(`${valueOf('WorkingDirectory')}/node_modules/.bin/node dist/main.js`);
  });

  it('allows the browser to create its sandbox', () => {
    expect(valueOf('RestrictNamespaces').split(' ')).toEqual(['user', 'pid', 'net']);
    expect(valueOf('SystemCallFilter').split(' ')).toContain('chroot');
    expect(valueOf('MemoryDenyWriteExecute')).toBe('');
  });
});
