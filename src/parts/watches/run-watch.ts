import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { answerKind, encodeJson } from '../../core/capture/answer.ts';
import type { Capture } from '../../core/capture/capture.ts';
import type { ParseFields } from '../../core/capture/request/request-parser.ts';
import { namespacedPath } from '../../core/access/owners.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Logger } from '../../core/ground/log.ts';
import type { MemoryBudget } from '../../core/ground/memory-budget.ts';
import { BACKGROUND } from '../../core/queue/fair-share.ts';
import type { Compare } from '../compare/compare.ts';
import type { JobResult } from '../jobs/job.ts';
import { describeResult } from '../jobs/job-results.ts';
import type { Attempt, RunClaim } from '../jobs/watch-runs.ts';
import type { Storage } from '../storage/storage.ts';
import { ownPath } from '../storage/stored-path.ts';
import { createDiffering, type Side, type Taken, withSideOf } from './compare-runs.ts';
import { findChange, type Finding, RECENT_RUNS } from './find-change.ts';
import { failingIn, refuseErrorPage, refuseUnusable } from './judge-run.ts';
import type { Run, Watch } from './watch.ts';
import { captureFieldsOf, TIDY_FIELDS } from './watch-capture.ts';
import type { WatchStore } from './watch-store.ts';

const pack = promisify(gzip);

export interface RunOptions {
  readonly store: WatchStore;
  readonly storage: Storage;
  readonly compare: Compare;
  readonly capture: Capture;
  readonly parseFields: ParseFields;
  /** Memory for the file of the baseline. */
  readonly memory: MemoryBudget;
  readonly maxPixels: number;
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Logger;
}

type MadeRun = Omit<Run, 'isReported'> & { readonly result: JobResult };

/** Returns a function that makes the captures of a run, compares them with the baseline, and writes the files. */
export function createMakeRun(options: RunOptions) {
  const { parseFields, capture, log, now } = options;

  const take = async (
    watch: Watch,
    claim: RunClaim,
    { key, signal, span }: Attempt,
    startedAt: number,
  ): Promise<Taken> => {
    const { fields } = watch;
    const given = captureFieldsOf(fields, startedAt);
    const requested = await parseFields(given, { key, ...(fields.compare !== null && { defaults: TIDY_FIELDS }) });
    const selectors = (fields.compare?.ignore ?? []).flatMap((each) => ('selector' in each ? [each.selector] : []));
    const isText = requested.capture.format === 'markdown';
    const compared =
      fields.compare === null
        ? {}
        : isText
          ? {
              hide_selectors: [...(requested.capture.hide_selectors ?? []), ...selectors],
              include: ['network' as const],
            }
          : { include: ['elements' as const, 'network' as const], maskedSelectors: selectors };
    const answer = await capture(
      { ...requested.capture, cache_ttl: 0, ...compared },
      { id: claim.id, client: BACKGROUND, signal, log, key, span },
    );
    return { requested, answer };
  };

  return async (watch: Watch, claim: RunClaim, attempt: Attempt): Promise<MadeRun> => {
    const startedAt = now() * 1_000;
    const taken: Taken[] = [];
    const takeNext = async (): Promise<Taken> => {
      const next = await take(watch, claim, attempt, startedAt);
      taken.push(next);
      return next;
    };
    try {
      const { taken: shown, ...found } = await findDifferences(options, watch, takeNext, attempt.signal);
      const files = await writeFiles(options, { watch, claim, attempt, startedAt }, shown);
      return {
        id: claim.id,
        watch: watch.id,
        edition: watch.edition,
        ...found,
        startedAt,
        finishedAt: now() * 1_000,
        ...files,
      };
    } catch (error) {
      for (const { answer } of taken) await attempt.lose(answer);
      throw error;
    }
  };
}

async function findDifferences(
  options: RunOptions,
  watch: Watch,
  takeNext: () => Promise<Taken>,
  signal: AbortSignal,
): Promise<Finding> {
  const { compare: settings, confirm } = watch.fields;
  const { store, storage, memory } = options;
  const taken = await takeNext();
  if (settings === null) {
    refuseErrorPage(taken.answer.facts, undefined);
    return { outcome: 'done', taken };
  }
  const baseline = watch.baseline === undefined ? undefined : await store.getRun(watch.id, watch.baseline);
  refuseUnusable(taken.answer.facts, baseline?.result?.facts);
  if (baseline === undefined) return { outcome: 'first', taken };
  const reading = { storage, memory, owner: watch.owner };
  const change = {
    differ: createDiffering({ ...options, settings, client: watch.owner, signal }),
    confirm,
    takeNext,
    baseline,
    recentRuns: () => store.runs(watch.id, { limit: RECENT_RUNS }),
    withRun: async <T>(run: Run, use: (side: Side) => Promise<T>) => await withSideOf(run, taken, reading, use),
  };
  const found = await withSideOf(baseline, taken, reading, (before) => findChange(before, taken, change));
  // The file of the baseline is lost: this run is the next one.
  return found ?? { outcome: 'first', taken };
}

interface FileContext {
  readonly watch: Watch;
  readonly claim: RunClaim;
  readonly attempt: Attempt;
  readonly startedAt: number;
}

/** Writes the capture of a run, its copy at `store_path`, and the elements of its page. */
async function writeFiles(
  { storage }: RunOptions,
  { watch, claim, attempt }: FileContext,
  { requested: { capture, delivery }, answer }: Taken,
): Promise<Pick<MadeRun, 'result' | 'elements' | 'failing'>> {
  const { format } = capture;
  const { mimeType: contentType, extension } = answerKind({ format, ...delivery });
  const body = delivery.response_type === 'file' ? answer.file : await encodeJson(answer, format);
  attempt.signal.throwIfAborted();
  const name = ownPath('watches', `${watch.id}/${claim.id}-${claim.attempts}`);
  const path = await attempt.write(`${name}.${extension}`, body, contentType);
  const elements = watch.fields.compare === null ? undefined : answer.parts.get('elements');
  const packed = elements && (await attempt.write(`${name}.elements.gz`, await pack(elements), 'application/gzip'));
  await attempt.checkClaim(); // the file at `store_path` is never deleted
  if (delivery.store_path !== undefined)
    await storage.put(namespacedPath(watch.owner, delivery.store_path), body, contentType);
  await attempt.keep(path);
  if (packed !== undefined) await attempt.keep(packed);
  const result = {
    ...describeResult({ path, body, contentType, caching: undefined }),
    format,
    delivery,
    facts: answer.facts,
    isKept: true,
  };
  const failing = watch.fields.compare === null ? [] : failingIn(answer.parts);
  return { result, elements: packed, ...(failing.length > 0 && { failing: [...failing] }) };
}

/** The watch of a run was removed meanwhile. */
export function watchIsGone(): ServiceError {
  return new ServiceError('NotFoundError', 'The watch of this run was removed');
}
