import type { Readable } from 'node:stream';

export interface StoredFile {
  /** The caller reads it to its end, or destroys it. */
  readonly body: Readable;
  readonly contentType: string;
  readonly bytes: number;
}

/** A link that needs no token, until it expires. */
export interface StoredLink {
  /**
   * A URL for a bucket. For a folder, a reference such as `/stored/<path>?…`, resolved against the address by which the
   * client called.
   */
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Storage of results: a folder or a bucket. Accepts the paths of `isLinkedPath` in any namespace. The creator disposes
 * of it. Each method tries three times.
 * @throws ServiceError StorageError if the storage is unreachable or refuses
 */
export interface Storage extends AsyncDisposable {
  /** Replaces an existing file atomically. */
  readonly put: (path: string, body: Uint8Array, contentType: string) => Promise<void>;
  /** Undefined: there is no such file. */
  readonly get: (path: string) => Promise<StoredFile | undefined>;
  /** Succeeds if there is no such file. */
  readonly delete: (path: string) => Promise<void>;
  /** Valid for `STORAGE_LINK_TTL`. Does not check whether the file exists. */
  readonly link: (path: string) => Promise<StoredLink>;
}

/** What parts that store results share. */
export interface StorageState {
  /** Storage of results. Undefined: none. */
  readonly resultStorage: Storage | undefined;
}
