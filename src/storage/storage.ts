import type { Readable } from 'node:stream';

export interface StoredFile {
  /** The caller reads it to its end, or destroys it. */
  readonly body: Readable;
  readonly contentType: string;
  readonly bytes: number;
}

/** A link for whoever has it, until it expires. */
export interface StoredLink {
  /**
   * Absolute for storage elsewhere. Of a folder it is a reference such as `/stored/<path>?…`, which is good at every address of this
   * service: it is resolved against the one by which the client called.
   */
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Where results are kept: a folder, or a bucket. Paths are those that `isLinkedPath` accepts. Whoever made it disposes of it. Each method
 * tries three times before it gives up.
 * @throws ServiceError StorageError where the storage is away or refuses.
 */
export interface Storage extends AsyncDisposable {
  /** Replaces what was there, at once: no reader gets half of it. */
  readonly put: (path: string, body: Uint8Array, contentType: string) => Promise<void>;
  /** Undefined: there is none. */
  readonly get: (path: string) => Promise<StoredFile | undefined>;
  /** Passes where there is none. */
  readonly delete: (path: string) => Promise<void>;
  /** For as long as `STORAGE_LINK_TTL` says. Whether there is a file is not looked at. */
  readonly link: (path: string) => Promise<StoredLink>;
}
