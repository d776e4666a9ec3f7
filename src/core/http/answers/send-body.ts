import type { Response } from 'express';
import { ServiceError } from '../../ground/errors.ts';
import type { MemoryBudget } from '../../ground/memory-budget.ts';

/**
 * Sends a result. `isKept` is true if the cache holds it as well.
 * @throws ServiceError OverloadedError if too many answers wait to be read
 */
export type SendBody = (response: Response, body: Buffer, facts: { readonly isKept: boolean }) => void;

/** Maximum size of a body that is sent in one piece, because the buffers of the system hold most of it. */
const SMALL_BYTES = 65_536;
/** Size of a piece of a larger answer. Each sent piece shows that the client reads, at 2 KB a second or more. */
const PIECE_BYTES = 65_536;
const STALL_LIMIT_MS = 30_000;
/** If memory is short, answers without progress for this time are dropped. */
const SHORT_STALL_LIMIT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

/** A client below half a megabit a second counts as slow, and must not hold memory that others need. */
const SLOW_BYTES_PER_MS = 64;
/** Budget share of all slow clients together, or 64 MB if that is more: 16 unread pictures kept 600 MB for 50 s. */
const [SLOW_SHARE, SLOW_LEAST_BYTES] = [1 / 8, 64 * 1_048_576];
const SWEEP_MS = 1_000;

interface UnreadAnswer {
  readonly bytes: number;
  readonly body: Buffer;
  readonly startedAt: number;
  sentBytes: number;
  movedAt: number;
  readonly giveUp: () => void;
}

interface SendOptions {
  readonly budget: MemoryBudget;
  /** An answer without progress for this many milliseconds is dropped. */
  readonly stallLimitMs?: number;
  readonly shortStallLimitMs?: number;
  readonly now?: () => number;
}

/**
 * Creates the function that sends results. Unread answers count against the memory budget. An answer without progress
 * for 30 s is dropped with its connection. Slow ones are dropped sooner if memory is short, or if they hold more than
 * an eighth of it together.
 */
export function createSendBody({
  budget,
  stallLimitMs = STALL_LIMIT_MS,
  shortStallLimitMs = SHORT_STALL_LIMIT_MS,
  now = () => performance.now(),
}: SendOptions): SendBody {
  const unread = new Set<UnreadAnswer>();
  const held = new HeldBodies(budget);

  const isSlow = ({ movedAt, startedAt, sentBytes }: UnreadAnswer): boolean => {
    const elapsedMs = now() - startedAt;
    if (now() - movedAt >= shortStallLimitMs) return true;
    return elapsedMs >= shortStallLimitMs && sentBytes < elapsedMs * SLOW_BYTES_PER_MS;
  };
  /** Drops slow answers, the longest stalled first, until enough bytes are free. */
  const giveUpSlow = (missingBytes: number): void => {
    let found = 0;
    for (const answer of [...unread].filter(isSlow).toSorted((a, b) => a.movedAt - b.movedAt)) {
      if (found >= missingBytes) return;
      found += held.hasOneReader(answer.body) ? answer.bytes : 0;
      answer.giveUp();
    }
  };
  budget.onShort(giveUpSlow);

  const maxSlowBytes = Math.max(budget.limitBytes * SLOW_SHARE, SLOW_LEAST_BYTES);
  let sweeping: NodeJS.Timeout | undefined;
  const sweep = (): void => {
    const slow = new Set([...unread].filter(isSlow).map(({ body }) => body));
    const bytes = [...slow].reduce((sum, body) => sum + body.length, 0);
    if (bytes > maxSlowBytes) giveUpSlow(bytes - maxSlowBytes);
  };

  const sendInPieces: SendBody = (response, body, { isKept }) => {
    held.add(body);
    const moved = dropWhenStalled(response, stallLimitMs);
    const answer: UnreadAnswer = {
      bytes: body.length,
      body,
      startedAt: now(),
      sentBytes: 0,
      movedAt: now(),
      giveUp: () => {
        end();
        response.destroy();
      },
    };
    const end = (): void => {
      if (!unread.delete(answer)) return;
      if (unread.size === 0) {
        clearInterval(sweeping);
        sweeping = undefined;
      }
      held.remove(body);
      if (!isKept) budget.addGarbage(body.length);
    };
    unread.add(answer);
    sweeping ??= setInterval(sweep, Math.min(SWEEP_MS, shortStallLimitMs + 1)).unref();
    response.once('close', end);
    response.set('Content-Length', `${body.length}`);
    let at = 0;
    const goOn = (): void => {
      moved();
      answer.movedAt = now();
      answer.sentBytes = at;
      while (at < body.length && unread.has(answer)) {
        const piece = body.subarray(at, at + PIECE_BYTES);
        at += piece.length;
        if (response.write(piece)) continue;
        response.once('drain', goOn);
        return;
      }
      response.end();
    };
    goOn();
  };

  return (response, body, facts) => {
    if (response.destroyed) return; // the client has left: no event would release the memory
    if (body.length > SMALL_BYTES) {
      sendInPieces(response, body, facts);
      return;
    }
    response.end(body);
    if (response.socket?.writableLength !== 0) dropWhenStalled(response, stallLimitMs);
  };
}

/** Drops an answer that stalls. Returns a function that reports progress. */
function dropWhenStalled(response: Response, limitMs: number): () => void {
  const timer = setTimeout(() => response.destroy(), limitMs).unref();
  response.once('close', () => clearTimeout(timer));
  return () => void timer.refresh();
}

/** Counts the memory of unread bodies. A cached body is in memory once, however many clients read it. */
class HeldBodies {
  readonly #budget: MemoryBudget;
  readonly #readers = new Map<Buffer, number>();

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** @throws ServiceError OverloadedError if the budget has no room for the body */
  add(body: Buffer): void {
    const readers = this.#readers.get(body) ?? 0;
    if (readers === 0 && !this.#budget.take(body.length)) throw noRoomForAnswers();
    this.#readers.set(body, readers + 1);
  }

  remove(body: Buffer): void {
    const readers = (this.#readers.get(body) ?? 1) - 1;
    if (readers > 0) {
      this.#readers.set(body, readers);
      return;
    }
    this.#readers.delete(body);
    this.#budget.give(body.length);
  }

  hasOneReader(body: Buffer): boolean {
    return this.#readers.get(body) === 1;
  }
}

/** Error for an answer that would exceed the memory for answers. */
export function noRoomForAnswers(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large answers wait to be read', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
