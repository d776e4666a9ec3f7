import type { Size } from '../../../core/steps/common/step.ts';
import { MOST_SHRUNK } from './content-room.ts';

/** Chrome's rounding of margins and scale. */
const ROUNDING = 0.01;
/** If a sheet has less than this share of the assumed height, its pictures are measured again. */
const LOW_SHARE = 0.7;
/** The least scale that Chrome takes. */
const LEAST_SCALE = 0.1;
/** A page whose widest picture is scaled is no longer shrunk, and has less room. */
const MOST_FITTINGS = 2;

/** What is known of a document after a print. */
export interface Findings {
  /** Room for content that the page was laid out for. */
  readonly assumed: Size;
  /** Room for content on the first sheet, as printed. */
  readonly room: Size;
  /** Factor by which Chrome has shrunk the page, from 1 to `MOST_SHRUNK`. */
  readonly shrunkBy: number;
  /** Width of the page as a share of its paper, for text from right to left. Otherwise 1. */
  readonly excess: number;
  readonly isSingleSheet: boolean;
  /** True if the page may have content that does not fit on a sheet. */
  readonly mayNotFit: boolean;
  readonly isVertical: boolean;
  /** `pdf_scale` of the request. */
  readonly scale: number;
}

/** What was done for the document, apart from its first print. */
export interface Done {
  readonly isLaidOut: boolean;
  readonly isScaled: boolean;
  readonly fittings: number;
  /** True if the last fitting has changed nothing, or nothing of the scale. */
  readonly isFitted: boolean;
}

/**
 * What comes next for a printed document: to lay the page out for the paper that it has set itself, to fit what is
 * taller than a sheet, to scale a page that is wider than its paper to the left, which Chrome does not do, or nothing.
 */
export type NextStep = 'lay-out' | 'fit' | 'scale' | 'end';

export function nextStep(found: Findings, done: Done): NextStep {
  const { assumed, room, isSingleSheet, excess } = found;
  const isOwnPaper = Math.abs(room.width / assumed.width - 1) >= ROUNDING;
  if (isOwnPaper && !done.isLaidOut && !isSingleSheet && done.fittings === 0) return 'lay-out';
  const isMeasured = found.mayNotFit || room.height < assumed.height * LOW_SHARE;
  if (isMeasured && !done.isFitted && done.fittings < MOST_FITTINGS) return 'fit';
  const canScale = excess > 1 + ROUNDING && scaleToFit(found) >= LEAST_SCALE && !isSingleSheet;
  return canScale && !done.isScaled ? 'scale' : 'end';
}

/** Returns the scale at which a page from right to left has the width of its paper, as far as Chrome shrinks others. */
export function scaleToFit({ scale, excess }: Findings): number {
  return scale / Math.min(excess, MOST_SHRUNK);
}

/** Factor by which Chrome has scaled the page, for a page that was wider than its paper. Undefined for others. */
export function scaleOfShrunk({ shrunkBy }: Findings): number | undefined {
  return shrunkBy > 1 + ROUNDING ? 1 / shrunkBy : undefined;
}

/** True if the page may be wider than its paper even after shrinking. */
export function mayBeCut({ excess, shrunkBy, isVertical }: Findings): boolean {
  return excess > 1 || (shrunkBy > MOST_SHRUNK - 0.001 && !isVertical);
}
