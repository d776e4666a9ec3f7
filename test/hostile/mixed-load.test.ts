import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { capture } from '../support/http.ts';
import { documentOf, type HostileCase, scriptPage } from './hostile-case.ts';
import { settle } from './run-case.ts';
import { createWorld, type World } from './world.ts';

const CALM_MS = 10_000;
const MIXED_MS = 30_000;
const NORMAL_CLIENTS = 2;
const LEAST_SUCCESS = 0.999;

/** H50: one client for each hostile page. */
const MIX: HostileCase = {
  id: 'H50',
  title: 'half of the load is hostile',
  pages: () => ({
    normal: documentOf('<h1>Normal</h1><p style="background:#08f">text</p>'),
    endless: scriptPage('while (true);'),
    silent: () => {},
    memory: scriptPage('const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1));'),
    popups: scriptPage("setInterval(() => { for (let n = 0; n < 100; n++) open('about:blank', 'w' + n); }, 1);"),
  }),
};
const HOSTILE_PATHS = ['endless', 'silent', 'memory', 'popups'];

describe('a service with half of its load hostile (H50)', () => {
  it('continues to capture normal pages', { timeout: 90_000 }, async ({ annotate }) => {
    await using world = await createWorld({ POOL_SIZE: `${NORMAL_CLIENTS + HOSTILE_PATHS.length}` });
    const { site, service } = world.stage(MIX);
    const captureNormal = async (): Promise<Sample> => {
      const startedAt = performance.now();
      const { status } = await capture(service, { url: `${site}normal` });
      return { status, ms: performance.now() - startedAt };
    };
    const captureHostile = async (path: string): Promise<Sample> => {
      const { status } = await capture(service, { url: `${site}${path}`, wait_for_timeout: 1_500 });
      return { status, ms: 0 };
    };

    const calm = await drive(
      CALM_MS,
      Array.from({ length: NORMAL_CLIENTS }, () => captureNormal),
    );
    const hostile = HOSTILE_PATHS.map((path) => drive(MIXED_MS, [() => captureHostile(path)]));
    await delay(1_000); // until all of them are busy
    const mixed = await drive(
      MIXED_MS - 2_000,
      Array.from({ length: NORMAL_CLIENTS }, () => captureNormal),
    );
    const attacks = (await Promise.all(hostile)).flat();

    await annotate(describeSamples({ calm, mixed, attacks }));
    expect(shareOf200(calm)).toBe(1);
    expect(shareOf200(mixed)).toBeGreaterThanOrEqual(LEAST_SUCCESS);
    expect(attacks.length).toBeGreaterThanOrEqual(HOSTILE_PATHS.length * 4);
    await expectNothingLeft(world);
  });
});

interface Sample {
  readonly status: number;
  readonly ms: number;
}

/** Repeats the request of each client until the time has passed. */
async function drive(ms: number, clients: readonly (() => Promise<Sample>)[]): Promise<readonly Sample[]> {
  const endsAt = performance.now() + ms;
  const samples: Sample[] = [];
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < endsAt) samples.push(await client());
    }),
  );
  return samples;
}

function shareOf200(samples: readonly Sample[]): number {
  return samples.filter(({ status }) => status === 200).length / samples.length;
}

function describeSamples(groups: Readonly<Record<'calm' | 'mixed' | 'attacks', readonly Sample[]>>): string {
  const p95 = (samples: readonly Sample[]): number => {
    const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
    return Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0);
  };
  const { calm, mixed, attacks } = groups;
  return `normal captures: ${calm.length} calm, p95 ${p95(calm)} ms; ${mixed.length} beside ${attacks.length} hostile ones, p95 ${p95(mixed)} ms, ${(shareOf200(mixed) * 100).toFixed(2)} % captured`;
}

async function expectNothingLeft(world: World): Promise<void> {
  await settle(world);
  expect(world.canaries.disturbances()).toEqual([]);
  expect(world.rejections).toEqual([]);
}
