import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { limitsOf, watchOf } from '../../support/watches.ts';
import { createWatchWorld, type WatchWorld } from '../../support/watch-world.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe('the schedule of watches', () => {
  let world: WatchWorld;
  beforeEach(async () => {
    world = await createWatchWorld();
  });
  afterEach(() => world.end());

  it('begins a run at its planned time, and plans the next one', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    await world.poll();
    expect(world.begun()).toEqual([]);

    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    await world.poll();
    expect(world.begun()).toEqual(['1']);
    expect((await world.get('1')).nextAt).toBe(20 * MINUTE_MS);
  });

  it('makes runs that were missed once', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 5 * HOUR_MS + MINUTE_MS;
    await world.poll();
    await world.poll();

    expect(world.begun()).toEqual(['1']);
    expect((await world.get('1')).nextAt).toBe(5 * HOUR_MS + 10 * MINUTE_MS); // on the grid of before
  });

  it('begins each run once if several instances poll', async () => {
    for (const id of ['1', '2', '3']) await world.add(id, { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    const other = world.instance();
    await Promise.all([world.poll(), other.poll(), world.poll(), other.poll()]);
    await other.close();
    expect(world.begun().toSorted()).toEqual(['1', '2', '3']);
  });

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])('goes on if the clock jumps %s by an hour', async (_way, jumpMs) => {
    world.clock.ms = 24 * HOUR_MS;
    await world.add('1', { schedule: 'every 10 minutes' });
    await world.poll();
    world.clock.ms += jumpMs;
    await world.poll();
    await world.finishAll();
    const before = world.begun().length;

    for (let minute = 0; minute < 60; minute++) {
      world.clock.ms += MINUTE_MS;
      await world.poll();
      await world.finishAll();
    }
    expect(world.begun().length - before).toBe(6);
  });

  it('plans again after a restart what an earlier clock has planned too late', async () => {
    world.clock.ms = 24 * HOUR_MS;
    await world.add('1', { schedule: '0 * * * *' });
    world.clock.ms -= 12 * HOUR_MS;
    const other = world.instance();
    await other.poll();
    await other.close();
    expect((await world.get('1')).nextAt).toBe(13 * HOUR_MS);
  });

  it('leaves a run out while the one before is going, and counts many of them as one', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    for (let count = 0; count < 4; count++) {
      world.clock.ms += 10 * MINUTE_MS;
      await world.poll();
    }
    expect(world.begun()).toEqual(['1']);
    expect(await world.outcomes('1')).toEqual(['skipped']);

    await world.finishAll();
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    expect(world.begun()).toEqual(['1', '1']);
  });

  it('records a run whose job was cancelled as failed, and goes on', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    world.setJobs('cancelled');
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();

    expect(world.begun()).toEqual(['1', '1']);
    expect(await world.outcomes('1')).toEqual(['failed']);
  });

  it('begins the run again if the process was killed before its job was submitted', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    world.failSubmit(new Error('killed'));
    await world.poll();
    world.failSubmit(undefined);
    await world.poll();
    expect(world.begun()).toEqual([]); // taken for half a minute

    world.clock.ms += MINUTE_MS;
    await world.poll();
    await world.poll();
    expect(world.begun()).toEqual(['1']);
    expect(await world.outcomes('1')).toEqual([]);
  });

  it('plans the next run only, if the process was killed after the job was submitted', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    const begun = await world.get('1');
    await world.store.replace({ ...begun, nextAt: 10 * MINUTE_MS });
    await world.poll();
    expect(world.begun()).toEqual(['1']);
    expect((await world.get('1')).nextAt).toBe(20 * MINUTE_MS);
  });

  it('tries again when the queue of jobs has room', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    world.failSubmit(new ServiceError('OverloadedError'));
    await world.poll();
    expect((await world.get('1')).going).toBeUndefined();
    world.failSubmit(undefined);
    world.clock.ms += MINUTE_MS;
    await world.poll();
    expect(world.begun()).toEqual(['1']);
  });

  it('begins the runs of others beside a schedule that it cannot read', async () => {
    const odd = watchOf('0', { nextAt: 1 });
    await world.store.add({ ...odd, fields: { ...odd.fields, schedule: 'of another version' } }, limitsOf(10));
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    expect(world.begun()).toContain('1');
  });

  it('begins nothing while a watch is paused', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    await world.store.replace({ ...(await world.get('1')), nextAt: null, pausedBy: 'client' });
    world.clock.ms += HOUR_MS;
    await world.poll();
    expect(world.begun()).toEqual([]);
  });

  it('pauses a watch after failures in a row, and tells it once', async () => {
    await world.add('1', { schedule: 'every 10 minutes', pause_after_failures: 3 });
    for (let count = 0; count < 5; count++) {
      world.clock.ms += 10 * MINUTE_MS;
      await world.poll();
      await world.failAll();
    }
    expect(await world.get('1')).toMatchObject({ nextAt: null, pausedBy: 'failures', failures: 3 });
    const runs = await world.store.runs('1', { limit: 9 });
    expect(runs.map(({ isReported, pauses = false }) => [isReported, pauses])).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
  });

  it('counts failures from the last run that succeeded', async () => {
    await world.add('1', { schedule: 'every 10 minutes', pause_after_failures: 3 });
    for (const end of ['fail', 'fail', 'finish', 'fail', 'fail'] as const) {
      world.clock.ms += 10 * MINUTE_MS;
      await world.poll();
      await (end === 'fail' ? world.failAll() : world.finishAll());
    }
    expect(await world.get('1')).toMatchObject({ failures: 2, nextAt: expect.any(Number) });
  });

  it('keeps as many runs as the watch keeps, and its baseline', async () => {
    await world.add('1', { schedule: 'every 10 minutes', keep: 3 });
    for (let count = 0; count < 6; count++) {
      world.clock.ms += 10 * MINUTE_MS;
      await world.poll();
      await world.finishAll(count === 0 ? 'first' : 'same');
    }
    const runs = await world.store.runs('1', { limit: 99 });
    expect(runs.map(({ outcome }) => outcome)).toEqual(['same', 'same', 'same', 'first']);
    expect(world.storage.files.size).toBe(4);
  });

  it('deletes the files of a removed watch, and ends its run', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    await world.finishAll('first');
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    await world.watches.remove(await world.get('1'));

    expect(world.cancelled).toHaveLength(1);
    while (await world.watches.tidy());
    expect(world.storage.files.size).toBe(0);
    await expect(world.finishAll()).rejects.toMatchObject({ type: 'NotFoundError' });
  });

  it('lets a run of an earlier edition decide nothing', async () => {
    await world.add('1', { schedule: 'every 10 minutes' });
    world.clock.ms += 10 * MINUTE_MS;
    await world.poll();
    const edited = await world.get('1');
    await world.store.replace({ ...edited, edition: 2 });
    await world.finishAll('first');
    expect(await world.outcomes('1')).toEqual(['skipped']);
    expect((await world.get('1')).baseline).toBeUndefined();
  });
});
