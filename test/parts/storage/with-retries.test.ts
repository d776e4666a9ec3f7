import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { ServiceError, StorageProblem, validationError } from '../../../src/core/ground/errors.ts';
import type { Storage } from '../../../src/parts/storage/storage.ts';
import { type StorageOperation, withStorageRetries } from '../../../src/parts/storage/with-retries.ts';

const LOG = pino({ level: 'silent' });
const ODD_ERROR = Object.assign(new Error('/srv/secret is full'), { code: 'ENOSPC' });

/** Returns a storage whose methods all do the same work, and the counted calls. */
function storageOf(work: () => Promise<never>): { storage: Storage; counted: StorageOperation[] } {
  const counted: StorageOperation[] = [];
  const failing: Storage = {
    put: work,
    get: work,
    delete: work,
    link: work,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const storage = withStorageRetries(failing, {
    log: LOG,
    record: (operation) => counted.push(operation),
    delaysMs: [0, 0],
  });
  return { storage, counted };
}

describe('withStorageRetries', () => {
  it('makes three attempts after a temporary error, and counts one failure', async () => {
    let tries = 0;
    const { storage, counted } = storageOf(async () => {
      tries++;
      throw ODD_ERROR;
    });

    await expect(storage.put('a', Buffer.alloc(3), 'text/plain')).rejects.toMatchObject({
      type: 'StorageError',
      status: 502,
    });
    expect([tries, counted]).toEqual([3, [{ operation: 'put', outcome: 'failure', bytes: 0 }]]);
  });

  it('reports errors in its own words, because system errors contain paths', async () => {
    const { storage } = storageOf(async () => Promise.reject(ODD_ERROR));

    const error = await storage.get('a').catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ details: 'STORAGE: the disk is full' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it.each([
    ['a permanent error', new StorageProblem('wrong keys', { isRetryable: false }), 'StorageError'],
    ['an error that the request caused', validationError('store_path: is taken'), 'ValidationError'],
  ])('makes one attempt after %s', async (_, failure, type) => {
    let tries = 0;
    const { storage } = storageOf(async () => {
      tries++;
      throw failure;
    });

    await expect(storage.put('a', Buffer.alloc(1), 'text/plain')).rejects.toMatchObject({ type });
    expect(tries).toBe(1);
  });

  it('succeeds if a later attempt succeeds', async () => {
    let tries = 0;
    const counted: StorageOperation[] = [];
    const storage = withStorageRetries(
      {
        ...storageOf(async () => Promise.reject(ODD_ERROR)).storage,
        put: async () => {
          if (++tries < 3) throw ODD_ERROR;
        },
      },
      { log: LOG, record: (operation) => counted.push(operation), delaysMs: [0, 0] },
    );

    await storage.put('a', Buffer.alloc(3), 'text/plain');

    expect(counted).toEqual([{ operation: 'put', outcome: 'success', bytes: 3 }]);
  });
});
