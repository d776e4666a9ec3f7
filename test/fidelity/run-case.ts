import { equal, ok } from 'node:assert/strict';
import type { FixtureSite } from '../support/fixture-site.ts';
import { capture } from '../support/http.ts';
import type { CaseRequest, FidelityCase, Stage, TimedAnswer } from './fidelity-case.ts';

/** A service and the site that it captures. */
export interface Bench {
  /** Base address of the service. */
  readonly service: string;
  readonly token?: string | undefined;
  readonly site: FixtureSite;
  /** Number of captures of a steady case. */
  readonly repeats: number;
  /** Same as in `TimedAnswer`. */
  readonly patience: number;
}

/** Runs one case. Throws the first violation. */
export async function runCase(fidelityCase: FidelityCase, bench: Bench): Promise<void> {
  const stage: Stage = { site: bench.site, capture: (request) => captureTimed(request, bench) };

  const answer = await stage.capture(fidelityCase.request);
  await fidelityCase.check(answer, stage);
  for (let count = 1; fidelityCase.isSteady === true && count < bench.repeats; count++) {
    const again = await stage.capture(fidelityCase.request);
    equal(again.status, 200);
    // Not deepEqual: printing the difference of two pictures takes minutes and gigabytes.
    ok(again.body.equals(answer.body), `capture ${count + 1} differs from the first`);
  }
}

async function captureTimed({ page, ...fields }: CaseRequest, bench: Bench): Promise<TimedAnswer> {
  const source = page === undefined ? {} : { url: bench.site.url(page) };
  const startedAt = performance.now();
  const answer = await capture(
    bench.service,
    { ...source, ...fields },
    bench.token === undefined ? {} : { token: bench.token },
  );
  return { ...answer, elapsedMs: performance.now() - startedAt, patience: bench.patience };
}
