import type { FixtureSite } from '../support/fixture-site.ts';
import type { CaptureAnswer } from '../support/http.ts';

/** The fields of a capture, with the path of a fixture page in place of `url`. */
export interface CaseRequest {
  readonly page?: string;
  readonly [field: string]: unknown;
}

export interface TimedAnswer extends CaptureAnswer {
  /** Milliseconds from the first byte of the request to the last of the answer. */
  readonly elapsedMs: number;
  /** Factor for slow machines; 1 on an idle one. */
  readonly patience: number;
}

/** Tools for a check, in addition to the answer. */
export interface Stage {
  readonly site: FixtureSite;
  /** Captures once more with the same service. */
  readonly capture: (request: CaseRequest) => Promise<TimedAnswer>;
}

/** One known problem of captures, and its correct result. */
export interface FidelityCase {
  /** `area.name`; ids are never reused. */
  readonly id: string;
  /** The correct result, as a person sees it. */
  readonly title: string;
  readonly request: CaseRequest;
  /** True if the case measures time and must run alone. */
  readonly isAlone?: boolean;
  /** True for a heavy case whose subject a quicker one covers, too: `npm run fidelity` only. */
  readonly isLong?: boolean;
  /** True if every capture must give the same bytes; the case is captured several times then. */
  readonly isSteady?: boolean;
  /** Throws if the answer is not correct. */
  readonly check: (answer: TimedAnswer, stage: Stage) => void | Promise<void>;
}

/** A problem that another test covers: of the service's processes, not of a page. */
export interface CoveredPain {
  readonly id: string;
  readonly title: string;
  /** Path of the test file. */
  readonly file: string;
  /** Part of the test title. */
  readonly test: string;
}
