import type { Response } from 'express';
import { ServiceError } from '../../errors.ts';
import type { MemoryBudget } from '../../memory-budget.ts';

/** Sends what a capture has come to, which is kept elsewhere too or not. @throws ServiceError OverloadedError when too much waits to be read already. */
export type SendBody = (response: Response, body: Buffer, facts: { readonly isKept: boolean }) => void;

/** Handed over at once: the system's own buffers hold most of it. */
const SMALL_BYTES = 65_536;
/** Of a larger one, so much at a time: each piece that is gone tells that somebody reads, from 2 KB a second on. */
const PIECE_BYTES = 65_536;
const STALL_LIMIT_MS = 30_000;
/** When memory is short, who has read nothing for so long makes room for others. */
const SHORT_STALL_LIMIT_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

interface UnreadAnswer {
  readonly bytes: number;
  movedAt: number;
  readonly giveUp: () => void;
}

interface SendOptions {
  readonly budget: MemoryBudget;
  /** Milliseconds without progress, after which an answer is given up. */
  readonly stallLimitMs?: number;
  readonly shortStallLimitMs?: number;
  readonly now?: () => number;
}

/**
 * An answer stays in memory until its client has read it: what waits is counted, and what does not move is given up with its connection,
 * sooner when there is no room for others.
 */
export function createSendBody({
  budget,
  stallLimitMs = STALL_LIMIT_MS,
  shortStallLimitMs = SHORT_STALL_LIMIT_MS,
  now = () => performance.now(),
}: SendOptions): SendBody {
  const unread = new Set<UnreadAnswer>();
  const users = new Map<Buffer, number>(); // an answer from the cache is in memory once, whoever reads it

  budget.onShort((missing) => {
    let found = 0;
    const stalled = [...unread].filter(({ movedAt }) => now() - movedAt >= shortStallLimitMs);
    for (const answer of stalled.toSorted((a, b) => a.movedAt - b.movedAt)) {
      if (found >= missing) return;
      found += answer.bytes;
      answer.giveUp();
    }
  });

  const hold = (body: Buffer): void => {
    const before = users.get(body) ?? 0;
    if (before === 0 && !budget.take(body.length)) throw noRoom();
    users.set(body, before + 1);
  };
  const letGo = (body: Buffer): void => {
    const left = (users.get(body) ?? 1) - 1;
    if (left > 0) {
      users.set(body, left);
      return;
    }
    users.delete(body);
    budget.give(body.length);
  };

  /** Gives up what does not move for so long; the result tells that it has moved. */
  const watch = (response: Response): (() => void) => {
    const timer = setTimeout(() => response.destroy(), stallLimitMs).unref();
    response.once('close', () => {
      clearTimeout(timer);
    });
    return () => void timer.refresh();
  };

  const sendInPieces: SendBody = (response, body, { isKept }) => {
    hold(body);
    const moved = watch(response);
    const answer: UnreadAnswer = {
      bytes: body.length,
      movedAt: now(),
      giveUp: () => {
        end();
        response.destroy();
      },
    };
    const end = (): void => {
      if (!unread.delete(answer)) return;
      letGo(body);
      if (!isKept) budget.litter(body.length);
    };
    unread.add(answer);
    response.once('close', end);
    response.set('Content-Length', `${body.length}`);
    let at = 0;
    const goOn = (): void => {
      moved();
      answer.movedAt = now();
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
    if (body.length > SMALL_BYTES) {
      sendInPieces(response, body, facts);
      return;
    }
    response.end(body);
    if (response.socket?.writableLength !== 0) watch(response);
  };
}

function noRoom(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large answers wait to be read', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
