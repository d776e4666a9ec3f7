import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { answerKind } from '../../capture/answer-kind.ts';
import type { CaptureAnswer } from '../../capture/capture.ts';
import type { CaptureOptions } from '../../capture/request/options.ts';
import { ServiceError } from '../../errors.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { Storage } from '../../storage/storage.ts';
import { ownAddress } from '../request/own-address.ts';
import { contextOf } from '../request/request-context.ts';

const RETRY_AFTER_SECONDS = 5;

interface StoreOptions {
  readonly resultStorage: Storage;
  /** Unix seconds. */
  readonly now: () => number;
  readonly budgets: { readonly answers: MemoryBudget };
}

/** Where a result has been kept. */
interface StoredResult {
  readonly path: string;
  /** Absolute. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** What `store` asks for, of a request that was judged: first where, then, once there is a result, it is done. */
export type StoreResult = (asked: {
  readonly request: Request;
  readonly response: Response;
  readonly options: CaptureOptions;
}) => (answer: CaptureAnswer) => Promise<StoredResult>;

/**
 * Keeps results where the request wants them.
 * @throws ServiceError of the first call: ValidationError; of the second: StorageError, and OverloadedError when too much waits to be
 * stored already.
 */
export function createStoreResult({ resultStorage, now, budgets }: StoreOptions): StoreResult {
  return ({ request, response, options }) => {
    const own = ownAddress(request);
    const { extension, mimeType } = answerKind(options);
    return async ({ body }) => {
      const path = options.store_path ?? newPath(contextOf(response).id, extension, now());
      // A storage that is slow must not fill the memory with what waits for it.
      if (!budgets.answers.take(body.length)) throw noRoom();
      try {
        await resultStorage.put(path, body, mimeType);
      } finally {
        budgets.answers.give(body.length);
      }
      const { url, expiresAt } = await resultStorage.link(path);
      return { path, url: new URL(url, own).href, expiresAt };
    };
  };
}

/** By the id its log line is found. It may be the client's own, used twice: what follows it makes the path new. */
function newPath(requestId: string, extension: string, nowSeconds: number): string {
  const day = new Date(nowSeconds * 1_000).toISOString().slice(0, 10).replaceAll('-', '/');
  const name = requestId.replaceAll(/[^\w-]/g, '-');
  return `${day}/${name}-${randomBytes(4).toString('hex')}.${extension}`;
}

function noRoom(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large results wait to be stored', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
