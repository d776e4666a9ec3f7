import { ServiceError, validationError } from '../errors.ts';

interface ProblemOptions {
  readonly cause?: unknown;
  /** Whether it may go well in a second. */
  readonly isPassing: boolean;
}

/**
 * Why a storage did not do what it was asked for. The message is shown to clients: it names settings, and neither their values nor
 * what was found behind them.
 */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem';
  readonly isPassing: boolean;

  constructor(message: string, { cause, isPassing }: ProblemOptions) {
    super(message, { cause });
    this.isPassing = isPassing;
  }
}

/** Words of system errors that an operator can do something about. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'the folder may not be written or read by the service',
  EPERM: 'the folder may not be written or read by the service',
  ENAMETOOLONG: 'the file system takes no path of this length',
  EMFILE: 'too many files are open',
  EIO: 'the disk fails',
  ELOOP: 'symbolic links lead in a circle',
};

/** The code of a system error, of fetch's too, whose cause has it. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return errorCode(error.cause);
}

/** The reason of a failure in words that may be shown to clients. */
export function reasonOf(error: unknown): string {
  if (error instanceof StorageProblem) return error.message;
  const code = errorCode(error);
  return (code !== undefined && WORDS[code]) || `it failed (${code ?? 'no more is known'})`;
}

/** The failure of a storage as clients get it: StorageError, or the ServiceError that it is already. */
export function toStorageError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('StorageError', undefined, {
    cause: error,
    details: `STORAGE: ${reasonOf(error)}`,
  });
}

/** For a path whose parent is a file, or that is a folder already. */
export function pathTaken(cause?: unknown): ServiceError {
  return validationError(
    'store_path: is taken by other files: what is a folder of some cannot be a file, nor the other way round',
    cause,
  );
}
