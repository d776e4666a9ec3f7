import { randomBytes } from 'node:crypto';
import { FORMATS } from '../../../core/capture/request/formats.ts';
import { ServiceError } from '../../../core/ground/errors.ts';
import { ownerOf } from '../../../core/access/key.ts';
import { namespacedPath } from '../../../core/access/owners.ts';
import type { Storage } from '../storage.ts';
import { ownPath } from '../stored-path.ts';
import { traced } from '../../../core/ground/tracer.ts';
import { ownAddress } from '../../../core/http/request/own-address.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { picturesOf } from '../../../core/capture/answer.ts';
import type { StoredLink, StoreResult } from '../../../core/http/routes/stored-result.ts';

const RETRY_AFTER_SECONDS = 5;
/**
 * Maximum share of the memory for answers while a storage does not answer. The rest is for captures that are not
 * stored.
 */
const WAITING_SHARE = 1 / 2;

/**
 * Creates the function that stores results.
 * @throws ServiceError ValidationError at validation; StorageError, or OverloadedError if too many results wait to be
 * stored
 */
export function createStoreResult(storage: Storage, { now, budgets }: Pick<Core, 'now' | 'budgets'>): StoreResult {
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
  return (request, { id, key, span }, { capture: { format }, delivery }) => {
    const own = ownAddress(request);
    const { mimeType, extension } = FORMATS[format];
    const put = async (file: Buffer): Promise<StoredLink> => {
      const path = delivery.store_path ?? newPath(id, extension, now());
      const place = namespacedPath(ownerOf(key), path);
      await traced(span, 'store', () => storage.put(place, file, mimeType));
      const link = await storage.link(place);
      return { url: new URL(link.url, own).href, expires_at: link.expiresAt.toISOString(), path };
    };
    return async (answer) => {
      const { file, facts } = answer;
      // Results that wait for a slow storage count against the memory budget.
      if (!take(file.length)) throw noRoom();
      try {
        if (facts.elements === undefined) {
          const link = await put(file);
          return { headers: { 'X-Stored-Path': link.path, 'X-Stored-Url': link.url }, links: [link] };
        }
        const links: StoredLink[] = [];
        for (const { bytes } of picturesOf(answer)) links.push(await put(bytes));
        return { headers: {}, links };
      } finally {
        give(file.length);
      }
    };
  };
}

/**
 * Contains the request id, to find its log line. Clients choose the id and may repeat it, so a random suffix makes the
 * path unique.
 */
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
