import { describe, expect, it, vi } from 'vitest';
import { EndedAtStartError } from '../../../../src/core/browser/process/launch.ts';
import { createSandboxedLaunch } from '../../../../src/core/browser/process/sandbox.ts';
import { createLog } from '../../../../src/core/ground/log.ts';

type Start = 'starts' | 'ends' | 'hangs';

/** Simulates a machine on which browsers start, exit or hang, in this order; the last outcome repeats. */
function machineWhere(given: { withSandbox: readonly Start[]; without?: readonly Start[] }) {
  const withSandbox = [...given.withSandbox];
  const without: Start[] = [...(given.without ?? ['starts' as const])];
  const log = createLog({ level: 'silent', format: 'json' });
  const warn = vi.spyOn(log, 'warn');
  const launches: boolean[] = [];
  const launch = async (sandbox: boolean): Promise<{ sandbox: boolean }> => {
    launches.push(sandbox);
    const starts = sandbox ? withSandbox : without;
    const start = starts.length > 1 ? starts.shift() : starts[0];
    if (start === 'ends') throw new EndedAtStartError('the browser ended by itself');
    if (start === 'hangs') throw new Error('the browser did not start in time');
    return { sandbox };
  };
  return {
    launches,
    warnings: () => warn.mock.calls.length,
    create: (setting: 'auto' | boolean = 'auto', isRoot = false) =>
      createSandboxedLaunch({ setting, launch, isRoot, log }),
  };
}

describe('a browser with an optional sandbox', () => {
  it('is sandboxed if it starts with the sandbox', async () => {
    const machine = machineWhere({ withSandbox: ['starts'] });
    const { launch, isSandboxed } = machine.create();
    expect(isSandboxed()).toBeUndefined();

    expect(await launch()).toEqual({ sandbox: true });

    expect(isSandboxed()).toBe(true);
    expect(machine.warnings()).toBe(0);
  });

  it('is not sandboxed if the sandbox makes it exit, with one warning', async () => {
    const machine = machineWhere({ withSandbox: ['ends'] });
    const { launch, isSandboxed } = machine.create();

    await launch();
    await launch();

    expect(machine.launches).toEqual([true, true, false, false]);
    expect(isSandboxed()).toBe(false);
    expect(machine.warnings()).toBe(1);
  });

  it('keeps its sandbox after one accidental exit', async () => {
    const machine = machineWhere({ withSandbox: ['ends', 'starts'] });
    const { launch, isSandboxed } = machine.create();

    await launch();

    expect(machine.launches).toEqual([true, true]);
    expect(isSandboxed()).toBe(true);
  });

  // Otherwise a page that can crash browsers could get one without a sandbox.
  it('never loses a sandbox that worked before, however often it exits', async () => {
    const machine = machineWhere({ withSandbox: ['starts', 'ends'] });
    const { launch, isSandboxed } = machine.create();
    await launch();

    for (let again = 0; again < 3; again++) await expect(launch()).rejects.toThrow(EndedAtStartError);

    expect(machine.launches).toEqual([true, true, true, true]);
    expect(isSandboxed()).toBe(true);
  });

  it.each<[string, Parameters<typeof machineWhere>[0], boolean[]]>([
    ['the browser fails without a sandbox, too', { withSandbox: ['ends'], without: ['ends'] }, [true, true, false]],
    ['the start only takes too long', { withSandbox: ['hangs'] }, [true]],
  ])('is not judged when %s', async (_why, starts, launches) => {
    const machine = machineWhere(starts);
    const { launch, isSandboxed } = machine.create();

    await expect(launch()).rejects.toThrow('the browser');

    expect(machine.launches).toEqual(launches);
    expect(isSandboxed()).toBeUndefined();
    expect(machine.warnings()).toBe(0);
  });

  it('is not tried with a sandbox as root, which Chrome refuses', async () => {
    const machine = machineWhere({ withSandbox: ['starts'] });

    await machine.create('auto', true).launch();

    expect(machine.launches).toEqual([false]);
    expect(machine.warnings()).toBe(1);
  });

  it('is sandboxed or fails to start with the setting true, and reports the cause', async () => {
    const machine = machineWhere({ withSandbox: ['ends'] });

    await expect(machine.create(true).launch()).rejects.toThrow(/^BROWSER_SANDBOX=true, .+; .+/);

    expect(machine.launches).toEqual([true]);
  });

  it('is not sandboxed with the setting false, with a warning', async () => {
    const machine = machineWhere({ withSandbox: ['starts'] });

    await machine.create(false).launch();

    expect(machine.launches).toEqual([false]);
    expect(machine.warnings()).toBe(1);
  });
});
