import type { GrowthCase } from './growth-case.ts';
import type { Row } from './measure.ts';

/** What one request may cost the others. */
const LIMITS = {
  /** Processor time grows at most like the size to this power. */
  exponent: 1.4,
  /** Longest wait of `/health/live`, and of a capture of another client beyond six times its usual time. */
  waitMs: 500,
  answerMs: 95_000,
  riseMb: 600,
};
/** Less processor time is mostly that of the start of a capture. */
const [LEAST_CPU_MS, FAST_CPU_MS] = [300, 1_000];

/** Returns the limits that hold on a machine that is busy with other work, too: without the waits of others. */
export function brokenLimits({ refusal = 400, isSteep }: GrowthCase, rows: readonly Row[]): readonly string[] {
  return [
    ...rows.flatMap(({ size, status, riseMb, isAlive, text }) => [
      ...(isAlive ? [] : [`the service has ended at ${size}`]),
      ...(status === 200 || status === refusal ? [] : [`status ${status} at ${size}: ${text}`]),
      ...(riseMb <= LIMITS.riseMb ? [] : [`${Math.round(riseMb)} MB more at ${size}`]),
    ]),
    ...(isSteep === undefined && growsTooFast(rows)
      ? [`processor time grows like n^${exponentOf(rows)?.toFixed(2)}`]
      : []),
  ];
}

/** Returns the limits of waits that are broken. The machine must do nothing else. */
export function brokenWaits(rows: readonly Row[], usualMs: number): readonly string[] {
  return rows.flatMap(({ size, ms, liveMs, neighbourMs, refused }) => [
    ...(ms <= LIMITS.answerMs ? [] : [`an answer after ${Math.round(ms)} ms at ${size}`]),
    ...(liveMs <= LIMITS.waitMs ? [] : [`/health/live waited for ${Math.round(liveMs)} ms at ${size}`]),
    ...(refused === 0 ? [] : [`${refused} captures of another client failed at ${size}`]),
    ...(neighbourMs <= 6 * usualMs + LIMITS.waitMs
      ? []
      : [`a capture of another client took ${Math.round(neighbourMs)} ms at ${size}`]),
  ]);
}

function growsTooFast(rows: readonly Row[]): boolean {
  const slowest = Math.max(0, ...answered(rows).map(({ cpuMs }) => cpuMs));
  return slowest > FAST_CPU_MS && (exponentOf(rows) ?? 0) > LIMITS.exponent;
}

/** The power of the size by which processor time grows. Undefined for too few measurable rows. */
export function exponentOf(rows: readonly Row[]): number | undefined {
  const measurable = answered(rows).filter(({ cpuMs }) => cpuMs > LEAST_CPU_MS);
  const [first, last] = [measurable[0], measurable.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  return Math.log(last.cpuMs / first.cpuMs) / Math.log(last.size / first.size);
}

function answered(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ status }) => status === 200);
}
