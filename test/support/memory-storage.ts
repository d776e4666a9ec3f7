import { Readable } from 'node:stream';
import { ServiceError } from '../../src/core/ground/errors.ts';
import type { Storage } from '../../src/parts/storage/storage.ts';

/** An in-memory storage that can simulate failures. */
export interface MemoryStorage extends Storage {
  readonly files: ReadonlyMap<string, { readonly body: Buffer; readonly contentType: string }>;
  /** True while the storage is unavailable. */
  isUnavailable: boolean;
}

export function createMemoryStorage(): MemoryStorage {
  const files = new Map<string, { body: Buffer; contentType: string }>();
  const storage: MemoryStorage = {
    files,
    isUnavailable: false,
    put: async (path, body, contentType) => {
      failIfUnavailable();
      files.set(path, { body: Buffer.from(body), contentType });
    },
    get: async (path) => {
      failIfUnavailable();
      const file = files.get(path);
      return file && { body: Readable.from([file.body]), contentType: file.contentType, bytes: file.body.length };
    },
    delete: async (path) => {
      failIfUnavailable();
      files.delete(path);
    },
    link: async (path) => ({ url: `/stored/${path}`, expiresAt: new Date(0) }),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const failIfUnavailable = (): void => {
    if (storage.isUnavailable) throw new ServiceError('StorageError');
  };
  return storage;
}
