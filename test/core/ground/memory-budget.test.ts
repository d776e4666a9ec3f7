import { describe, expect, it, vi } from 'vitest';
import { createMemoryBudget, planMemory } from '../../../src/core/ground/memory-budget.ts';

const GIGABYTE = 1024 ** 3;

describe('a memory budget', () => {
  it('grants memory up to its size, and reclaims it', () => {
    const budget = createMemoryBudget(100);

    expect([budget.take(60), budget.take(50), budget.take(40)]).toEqual([true, false, true]);
    budget.give(60);
    expect(budget.take(50)).toBe(true);
    expect(budget.state()).toEqual({ limitBytes: 100, usedBytes: 90, refusals: 1 });
  });

  it('reserves a part for others, however much one client requests', () => {
    const budget = createMemoryBudget(100);

    expect([budget.take(75, 'a'), budget.take(1, 'a'), budget.take(25, 'b')]).toEqual([true, false, true]);
    budget.give(75, 'a');
    expect(budget.take(75, 'a')).toBe(true);
  });

  it('tries to free memory before it refuses', () => {
    const budget = createMemoryBudget(100);
    budget.take(90);
    const makeRoom = vi.fn<(bytes: number) => void>((bytes) => {
      budget.give(bytes);
    });
    budget.onShort(makeRoom);

    expect(budget.take(30)).toBe(true);
    expect(makeRoom.mock.calls).toEqual([[20]]);
    expect(budget.state().usedBytes).toBe(100);
  });

  it('requests memory back from each holder while there is too little', () => {
    const budget = createMemoryBudget(100);
    const demands: string[] = [];
    const makeRoomOf =
      (name: string, bytes: number) =>
      (missing: number): void => {
        demands.push(`${name}: ${missing}`);
        budget.give(bytes);
      };
    budget.onShort(makeRoomOf('first', 10));
    budget.onShort(makeRoomOf('second', 20));
    budget.onShort(makeRoomOf('third', 10));
    budget.take(90);

    expect(budget.take(40)).toBe(true);
    expect(demands).toEqual(['first: 30', 'second: 20']);
  });

  it('triggers garbage collection when enough garbage has accumulated', async () => {
    const collect = vi.fn<() => void>();
    const budget = createMemoryBudget(800, collect);
    budget.addGarbage(99);
    await new Promise(setImmediate);
    expect(collect).not.toHaveBeenCalled();

    budget.addGarbage(1);
    await new Promise(setImmediate);
    expect(collect).toHaveBeenCalledOnce();
  });
});

describe('the memory plan', () => {
  const limits = { maxBodyBytes: 10 * 1024 ** 2, maxResultBytes: 100 * 1024 ** 2 };

  it('uses a small part of the available memory', () => {
    const { bodies, answers } = planMemory(2 * GIGABYTE, limits);

    expect(bodies + answers).toBeLessThan(0.2 * 2 * GIGABYTE);
  });

  it('fits the largest body and the largest result, however little memory there is', () => {
    const { bodies, answers } = planMemory(GIGABYTE / 4, limits);
    const budget = createMemoryBudget(bodies);

    expect(budget.take(limits.maxBodyBytes, 'a') && budget.take(limits.maxBodyBytes, 'a')).toBe(true);
    expect(answers).toBeGreaterThan(limits.maxResultBytes);
  });
});
