import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { ServiceError, validationError } from '../../src/errors.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { StorageProblem } from '../../src/storage/storage-problem.ts';
import { type StorageOperation, tryThrice } from '../../src/storage/try-thrice.ts';

const LOG = pino({ level: 'silent' });
const ODD_ERROR = Object.assign(new Error('/srv/secret is full'), { code: 'ENOSPC' });

/** A storage whose every call does the same, with the calls that were counted. */
function storageOf(work: () => Promise<never>): { storage: Storage; counted: StorageOperation[] } {
  const counted: StorageOperation[] = [];
  const failing: Storage = {
    put: work,
    get: work,
    delete: work,
    link: work,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const storage = tryThrice(failing, {
    log: LOG,
    record: (operation) => counted.push(operation),
    pausesMs: [0, 0],
  });
  return { storage, counted };
}

describe('tryThrice', () => {
  it('tries three times what may pass, and counts it once', async () => {
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

  it('says what is wrong in words of its own: the system names paths', async () => {
    const { storage } = storageOf(async () => Promise.reject(ODD_ERROR));

    const error = await storage.get('a').catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ details: 'STORAGE: the disk is full' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it.each([
    ['what will not pass', new StorageProblem('wrong keys', { isPassing: false }), 'StorageError'],
    ["what is the request's fault", validationError('store_path: is taken'), 'ValidationError'],
  ])('tries %s once', async (_, failure, type) => {
    let tries = 0;
    const { storage } = storageOf(async () => {
      tries++;
      throw failure;
    });

    await expect(storage.put('a', Buffer.alloc(1), 'text/plain')).rejects.toMatchObject({ type });
    expect(tries).toBe(1);
  });

  it('goes on where a later try goes well', async () => {
    let tries = 0;
    const counted: StorageOperation[] = [];
    const storage = tryThrice(
      {
        ...storageOf(async () => Promise.reject(ODD_ERROR)).storage,
        put: async () => {
          if (++tries < 3) throw ODD_ERROR;
        },
      },
      { log: LOG, record: (operation) => counted.push(operation), pausesMs: [0, 0] },
    );

    await storage.put('a', Buffer.alloc(3), 'text/plain');

    expect(counted).toEqual([{ operation: 'put', outcome: 'success', bytes: 3 }]);
  });
});
