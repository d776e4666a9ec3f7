import { errorCode, ServiceError, StorageProblem, validationError } from '../../core/ground/errors.ts';

/** Texts for system errors that an operator can fix. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'the service has no permission to read or write the folder',
  EPERM: 'the service has no permission to read or write the folder',
  ENAMETOOLONG: 'the path is too long for the file system',
  EMFILE: 'too many files are open',
  EIO: 'the disk fails',
  ELOOP: 'symbolic links lead in a circle',
};

/** The reason of a failure, safe to show to clients. */
export function storageReason(error: unknown): string {
  if (error instanceof StorageProblem) return error.message;
  const code = errorCode(error);
  return (code !== undefined && WORDS[code]) || `it failed (${code ?? 'without an error code'})`;
}

/** Converts a failure of the storage to the client's error: StorageError, or the ServiceError that it is already. */
export function toStorageError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('StorageError', undefined, {
    cause: error,
    details: `STORAGE: ${storageReason(error)}`,
  });
}

/** Error for a path whose parent is a file, or that is a folder. */
export function pathTaken(cause?: unknown): ServiceError {
  return validationError(
    "store_path: conflicts with another stored file: a path can't be both a file and a folder",
    cause,
  );
}
