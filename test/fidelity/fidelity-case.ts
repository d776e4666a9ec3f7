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
  /** By how much it may take longer than a machine with nothing else to do needs. */
  readonly patience: number;
}

/** What a check may use beside the answer. */
export interface Stage {
  readonly site: FixtureSite;
  /** One more capture by the same service. */
  readonly capture: (request: CaseRequest) => Promise<TimedAnswer>;
}

/** One pain, and what is right. */
export interface FidelityCase {
  /** `area.name`; never used again for another case. */
  readonly id: string;
  /** What a person sees when it is right. */
  readonly title: string;
  readonly request: CaseRequest;
  /** True where time counts: nothing else runs beside it. */
  readonly isAlone?: boolean;
  /** True where much is drawn to make a point that a quicker case makes too: `npm run fidelity` only. */
  readonly isLong?: boolean;
  /** True when every capture must give the same bytes; it is captured several times then. */
  readonly isSteady?: boolean;
  /** Throws when the answer is not right. */
  readonly check: (answer: TimedAnswer, stage: Stage) => void | Promise<void>;
}

/** A pain that a test elsewhere is about: of the service's processes, not of a page. */
export interface CoveredPain {
  readonly id: string;
  readonly title: string;
  /** Path of the test's file. */
  readonly file: string;
  /** Part of the test's own words there. */
  readonly test: string;
}
