import { describe, expect, it } from 'vitest';
import {
  type Done,
  type Findings,
  mayBeCut,
  nextStep,
  scaleOfShrunk,
  scaleToFit,
} from '../../../../src/features/documents/printing/next-print.ts';

const A4 = { width: 718, height: 1047 };
const FOUND: Findings = {
  assumed: A4,
  room: A4,
  shrunkBy: 1,
  excess: 1,
  isSingleSheet: false,
  mayNotFit: false,
  isVertical: false,
  scale: 1,
};
const NOTHING: Done = { isLaidOut: false, isScaled: false, fittings: 0, isFitted: false };
const FITTED: Done = { ...NOTHING, fittings: 1, isFitted: true };

describe('what follows a print', () => {
  it.each<[finding: string, found: Partial<Findings>, done: Done, step: string]>([
    ['a page that fits', {}, NOTHING, 'end'],
    ['paper that the page has set', { room: { width: 500, height: 1047 } }, NOTHING, 'lay-out'],
    ['paper that it was laid out for', { room: { width: 500, height: 1047 } }, { ...NOTHING, isLaidOut: true }, 'end'],
    ['rounded margins', { room: { width: 720, height: 1047 } }, NOTHING, 'end'],
    ['a single sheet of another width', { room: { width: 500, height: 9 }, isSingleSheet: true }, FITTED, 'end'],
    ['content that may not fit', { mayNotFit: true }, NOTHING, 'fit'],
    ['a low first sheet', { room: { width: 718, height: 600 } }, NOTHING, 'fit'],
    ['content that was fitted', { mayNotFit: true }, FITTED, 'end'],
    ['a page whose scale has changed', { mayNotFit: true }, { ...NOTHING, fittings: 1 }, 'fit'],
    ['a page whose scale keeps changing', { mayNotFit: true }, { ...NOTHING, fittings: 2 }, 'end'],
    ['a page that is wider to the left', { excess: 1.3 }, NOTHING, 'scale'],
    ['a page that was scaled for that', { excess: 1.3 }, { ...NOTHING, isScaled: true }, 'end'],
    ['a scale below the least one', { excess: 1.3, scale: 0.1 }, NOTHING, 'end'],
    ['all of it: paper first', { room: { width: 500, height: 9 }, mayNotFit: true, excess: 2 }, NOTHING, 'lay-out'],
    ['content before scale', { mayNotFit: true, excess: 2 }, NOTHING, 'fit'],
  ])('%s', (_finding, found, done, step) => {
    expect(nextStep({ ...FOUND, ...found }, done)).toBe(step);
  });

  it('is a scale that Chrome would take, and a warning for what is still wider', () => {
    expect(scaleToFit({ ...FOUND, excess: 1.25 })).toBe(0.8);
    expect(scaleToFit({ ...FOUND, excess: 9 })).toBeCloseTo(2 / 3);
    expect(scaleOfShrunk({ ...FOUND, shrunkBy: 1.25 })).toBe(0.8);
    expect(scaleOfShrunk({ ...FOUND, shrunkBy: 1.005 })).toBeUndefined();
    expect([1, 1.4, 1.5].map((shrunkBy) => mayBeCut({ ...FOUND, shrunkBy }))).toEqual([false, false, true]);
    expect(mayBeCut({ ...FOUND, shrunkBy: 1.5, isVertical: true })).toBe(false);
  });
});
