import { StorageProblem } from '../../../src/core/ground/errors.ts';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Storage, StoredFile } from '../../../src/parts/storage/storage.ts';
import { withTimeLimit } from '../../../src/parts/storage/with-time-limit.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryStorage } from '../../support/memory-storage.ts';

describe('a folder on a network drive that has gone', () => {
  it('fails each call after the limit, then at once, and works again when the drive is back', async () => {
    const back = Promise.withResolvers<void>();
    let calls = 0;
    const memory = createMemoryStorage();
    const hanging: Storage = {
      ...memory,
      put: async (...args) => (calls++, await back.promise, await memory.put(...args)),
    };
    const storage = withTimeLimit(hanging, 5);
    const put = (path: string): Promise<void> => storage.put(path, Buffer.from('x'), 'image/png');

    for (const path of ['a', 'b', 'c', 'd', 'e', 'f']) await expect(put(path)).rejects.toThrow(StorageProblem);
    const callsWhileAway = calls;
    back.resolve();

    expect(callsWhileAway).toBe(4);
    await eventually(() => put('g'));
    expect(memory.files.has('g')).toBe(true);
  });

  it('closes a file that is opened too late', async () => {
    const opened = Promise.withResolvers<StoredFile>();
    const storage = withTimeLimit({ ...createMemoryStorage(), get: () => opened.promise }, 5);
    const body = new Readable();

    await expect(storage.get('a')).rejects.toThrow('the folder gave no answer within 5 ms');
    opened.resolve({ body, contentType: 'image/png', bytes: 1 });

    await eventually(() => expect(body.destroyed).toBe(true));
  });
});
