import type { Capture, CaptureWrapper } from '../../core/capture/capture.ts';
import type { Captured } from '../../core/capture/capture-on-page.ts';
import { type CaptureOptions, targetOf } from '../../core/capture/request/options.ts';
import type { Key } from '../../core/access/key.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { Logger } from '../../core/ground/log.ts';
import type { DocumentTools } from './compare-documents.ts';
import { compareResults } from './compare-results.ts';
import type { Finding, Result } from './finding.ts';

/** Captures that wait for the other browser. More are left out: it may be slower than the clients are. */
const MOST_WAITING = 10;
/** Largest result that is kept until it is compared. */
const MOST_BYTES = 10_000_000;
const MOST_LOGGED = 5;
/** Pages of a document that are compared as pictures. */
const MOST_DRAWN = 5;

/** How a capture with the other browser ended. `skipped`: it was not made, because too many waited. */
export type ShadowOutcome = 'same' | 'moved' | 'varies' | 'failed' | 'skipped';

interface ShadowOptions {
  /** Makes a capture with the other browser. */
  readonly capture: Capture;
  /** Makes a capture with the present browser, when no client needs its pages. */
  readonly captureAgain: Capture;
  readonly share: number;
  readonly tools: DocumentTools;
  readonly record: (outcome: ShadowOutcome) => void;
  readonly log: Logger;
  /** A number from 0 to 1. */
  readonly random?: () => number;
}

interface Waiting {
  readonly options: CaptureOptions;
  readonly captured: Captured;
  readonly id: string | undefined;
  readonly key: Key | undefined;
}

export interface Shadow {
  readonly wrap: CaptureWrapper;
  /** Ends the captures of the other browser. */
  readonly stop: () => Promise<void>;
}

/**
 * Makes a share of the captures again with another browser, one after the other, when their clients have the result.
 */
export function createShadow(given: ShadowOptions): Shadow {
  const { capture, captureAgain, share, tools, record, log, random = Math.random } = given;
  const ending = new AbortController();
  const queue: Waiting[] = [];
  let working: Promise<void> | undefined;
  const ours = new WeakSet<CaptureOptions>(); // captures of the present browser that are not for a client

  const make = async (by: Capture, { id, key }: Waiting, options: CaptureOptions): Promise<Captured> =>
    await by(options, { ...(id !== undefined && { id }), key, signal: ending.signal, log });

  const compare = async (waiting: Waiting, before: Captured, after: Captured): Promise<readonly Finding[]> =>
    await compareResults(waiting.options.format, resultOf(before), resultOf(after), {
      ...tools,
      mostDrawn: MOST_DRAWN,
    });

  const work = async (waiting: Waiting): Promise<void> => {
    const { options, captured, id } = waiting;
    const about = { request: id, target: targetOf(options), format: options.format };
    try {
      const first = await make(capture, waiting, options);
      if ((await compare(waiting, captured, first)).length === 0) {
        record('same');
        return;
      }
      // The page may differ each time: both browsers make it again, at the same moment of its own time.
      const again = { ...options, reproducible: true, cache_ttl: 0 };
      ours.add(again);
      const [present, next] = [await make(captureAgain, waiting, again), await make(capture, waiting, again)];
      const findings = await compare(waiting, present, next);
      if (findings.length === 0) {
        record('varies');
        return;
      }
      record('moved');
      // Without the messages, which have words of the page.
      const places = findings.slice(0, MOST_LOGGED).map(({ kind, page, box }) => ({ kind, page, box }));
      log.warn({ ...about, findings: places, count: findings.length }, 'the next browser gives another result');
    } catch (error) {
      if (ending.signal.aborted) return;
      record('failed');
      const reason = error instanceof ServiceError ? { error: error.type, details: error.details } : { err: error };
      log.warn({ ...about, ...reason }, 'the next browser could not make a capture');
    }
  };

  const workAll = async (): Promise<void> => {
    for (let waiting = queue.shift(); waiting !== undefined; waiting = queue.shift()) {
      if (ending.signal.aborted) return;
      await work(waiting);
    }
    working = undefined;
  };

  const wrap: CaptureWrapper = (inner) => async (options, context) => {
    const captured = await inner(options, context);
    if (ours.has(options) || random() >= share || !mayRepeat(options, context.key)) return captured;
    if (queue.length >= MOST_WAITING || captured.file.length > MOST_BYTES || ending.signal.aborted) {
      record('skipped');
      return captured;
    }
    queue.push({ options: withoutParts(options), captured, id: context.id, key: context.key });
    working ??= workAll();
    return captured;
  };

  return {
    wrap,
    stop: async () => {
      ending.abort(new ServiceError('OverloadedError', 'The service is shutting down'));
      await working;
    },
  };
}

/**
 * False for captures that change something on the page's server, for files that can't be compared, and for keys with
 * egress rules of their own: the present browser makes a capture again without a key, so that no quota counts it.
 */
function mayRepeat(
  { actions, custom_js: script, init_script: first, ...options }: CaptureOptions,
  key: Key | undefined,
): boolean {
  const { wait_for_function: condition, format } = options;
  const { selector_each: isEach, pdf_password: password, pdf_owner_password: owner } = options;
  const isActing = [actions, script, first, condition].some((given) => given !== undefined);
  return (
    key?.egressAllow === undefined &&
    !isActing &&
    format !== 'mhtml' &&
    !isEach &&
    password === undefined &&
    owner === undefined
  );
}

function withoutParts(options: CaptureOptions): CaptureOptions {
  return { ...options, include: undefined, extract: undefined };
}

function resultOf({ file, facts: { warnings } }: Captured): Result {
  return { body: file, warnings };
}
