import { describe, expect, it } from 'vitest';
import { nameRegions, type PlacedElements } from '../../../src/parts/compare/name-regions.ts';
import type { Region } from '../../../src/parts/compare/pictures/region.ts';

type Entry = PlacedElements['elements']['entries'][number];
const region = (kind: Region['kind'] = 'changed'): Region => ({ x: 10, y: 10, width: 5, height: 5, kind, offset: 0 });
const placed = (entries: readonly Entry[]): PlacedElements => ({
  elements: { entries: [...entries], matches: [], boxes: [], window: [0, 0, 1] },
  origin: [0, 0],
  density: 1,
});
const page = (text: string): PlacedElements =>
  placed([
    [-1, 'body', 0, 0, 100, 100, ''],
    [0, 'p:nth-of-type(1)', 5, 5, 50, 20, text],
  ]);

const link = (width: number, text: string): PlacedElements =>
  placed([
    [-1, 'body', 0, 0, 100, 100, ''],
    [0, 'a:nth-of-type(1)', 5, 5, width, 20, text],
  ]);

describe('the names of regions', () => {
  it('are the smallest element around each, with its texts', () => {
    expect(nameRegions([region()], page('old'), page('new'))).toEqual([
      { selector: 'body > p:nth-of-type(1)', before: 'old', after: 'new' },
    ]);
  });

  it('are those of the earlier page for what was removed', () => {
    expect(nameRegions([region('removed')], page('old'), placed([]))).toEqual([
      { selector: 'body > p:nth-of-type(1)', before: 'old' },
    ]);
  });

  it('are those of the earlier page where a text became shorter', () => {
    const wide = { ...region(), width: 40 };

    const name = { selector: 'body > a:nth-of-type(1)', before: 'long text', after: 'text' };

    expect(nameRegions([wide, { ...wide, y: 30, offset: -20 }], link(50, 'long text'), link(20, 'text'))).toEqual([
      name,
      name,
    ]);
  });

  it('are missing for what no element contains', () => {
    expect(nameRegions([{ ...region(), x: 200 }], page('old'), page('new'))).toEqual([undefined]);
  });

  it('are short in a page of 10,000 nested elements, and take little time', () => {
    const deep = placed(
      Array.from({ length: 10_000 }, (_, index): Entry => [index - 1, 'div:nth-of-type(1)', 0, 0, 100, 100, 'x']),
    );
    const startedAt = performance.now();

    const names = nameRegions(
      Array.from({ length: 1_000 }, () => region()),
      deep,
      deep,
    );

    expect(names[0]?.selector.length).toBeLessThan(1_000);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
