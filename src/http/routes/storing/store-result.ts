import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { CaptureAnswer } from '../../../capture/capture.ts';
import { takeOutFile } from '../../../capture/json-answer.ts';
import { FORMATS } from '../../../capture/formats/index.ts';
import type { CaptureOptions } from '../../../capture/request/options.ts';
import { ServiceError } from '../../../errors.ts';
import { ownerOf } from '../../../keys/key.ts';
import { namespacedPath } from '../../../keys/owners.ts';
import type { MemoryBudget } from '../../../memory-budget.ts';
import type { Storage } from '../../../storage/storage.ts';
import { ownPath } from '../../../storage/stored-path.ts';
import { ownAddress } from '../../request/own-address.ts';
import { contextOf } from '../../request/request-context.ts';

const RETRY_AFTER_SECONDS = 5;
/** Maximum share of the memory for answers while a storage does not answer. The rest is for captures that are not stored. */
const WAITING_SHARE = 1 / 2;

interface StoreOptions {
  readonly resultStorage: Storage;
  /** Unix seconds. */
  readonly now: () => number;
  readonly budgets: { readonly answers: MemoryBudget };
}

/** A stored result. */
export interface StoredResult {
  /** Headers with the path of the result and a link to it. */
  readonly headers: { readonly 'X-Stored-Path': string; readonly 'X-Stored-Url': string };
  /** The body to send: a JSON answer has the link instead of the file. */
  readonly body: Buffer;
}

/** Builds the answer from the link. */
type ToAnswer = (link: object) => Buffer;

/** Validates the storage fields of a request, then stores its result. */
export type StoreResult = (requested: {
  readonly request: Request;
  readonly response: Response;
  readonly options: CaptureOptions;
}) => (answer: CaptureAnswer) => Promise<StoredResult>;

/**
 * Creates the function that stores results.
 * @throws ServiceError ValidationError at validation; StorageError, or OverloadedError if too many results wait to be stored
 */
export function createStoreResult({ resultStorage, now, budgets }: StoreOptions): StoreResult {
  let waitingBytes = 0;
  const take = (bytes: number): boolean => {
    const isWithin = waitingBytes + bytes <= budgets.answers.limitBytes * WAITING_SHARE;
    if (waitingBytes > 0 && !isWithin) return false; // a single result may be larger
    if (!budgets.answers.take(bytes)) return false;
    waitingBytes += bytes;
    return true;
  };
  const give = (bytes: number): void => {
    waitingBytes -= bytes;
    budgets.answers.give(bytes);
  };
  return ({ request, response, options }) => {
    const own = ownAddress(request);
    const { format, store_path: requested, response_type: type } = options;
    const put = async (place: string, { body }: CaptureAnswer): Promise<ToAnswer> => {
      if (type === 'file') {
        await resultStorage.put(place, body, FORMATS[format].mimeType);
        return () => body;
      }
      const { file, withInstead } = await takeOutFile(body);
      await resultStorage.put(place, file, FORMATS[format].mimeType);
      return withInstead;
    };
    return async (answer) => {
      const path = requested ?? newPath(contextOf(response).id, FORMATS[format].extension, now());
      const place = namespacedPath(ownerOf(contextOf(response).key), path);
      // Results that wait for a slow storage count against the memory budget.
      const heldBytes = type === 'file' ? answer.body.length : 2 * answer.body.length;
      if (!take(heldBytes)) throw noRoom();
      try {
        const toAnswer = await put(place, answer);
        const link = await resultStorage.link(place);
        const url = new URL(link.url, own).href;
        return {
          headers: { 'X-Stored-Path': path, 'X-Stored-Url': url },
          body: toAnswer({ url, expires_at: link.expiresAt.toISOString(), path }),
        };
      } finally {
        give(heldBytes);
      }
    };
  };
}

/** Contains the request id, to find its log line. Clients choose the id and may repeat it, so a random suffix makes the path unique. */
function newPath(requestId: string, extension: string, nowSeconds: number): string {
  const day = new Date(nowSeconds * 1_000).toISOString().slice(0, 10).replaceAll('-', '/');
  const name = requestId.replaceAll(/[^\w-]/g, '-');
  return ownPath('days', `${day}/${name}-${randomBytes(4).toString('hex')}.${extension}`);
}

function noRoom(): ServiceError {
  return new ServiceError('OverloadedError', 'Too many large results wait to be stored', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
