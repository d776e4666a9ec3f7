import { type ErrorType, ServiceError } from '../../../errors.ts';
import { StorageProblem } from '../../../storage/storage-problem.ts';
import { asError } from '../../../timeouts.ts';
import type { JobStore } from '../../job-store.ts';
import type { UnreadableRecord } from '../../job-codec.ts';

/** A method of the store that runs in the worker thread. */
export type CallName = Exclude<keyof JobStore, 'onWork' | typeof Symbol.asyncDispose>;

/** A call that is sent to the worker thread. */
export interface StoreCall {
  readonly id: number;
  readonly name: CallName;
  readonly args: readonly unknown[];
  /** Deadline by `monotonicMs`. A call that has not begun by then is refused, and changes nothing. */
  readonly deadlineMs: number;
}

/** An error as plain values, because errors lose their class between threads. */
export interface PackedError {
  /** Set for a ServiceError. */
  readonly type?: ErrorType;
  readonly details?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Set for a StorageProblem. */
  readonly isProblem: boolean;
  readonly message: string;
  readonly cause: unknown;
}

export type WorkerMessage =
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PackedError }
  | { readonly kind: 'work' }
  | { readonly kind: 'unreadable'; readonly record: UnreadableRecord };

export function packError(thrown: unknown): PackedError {
  const { message, cause } = asError(thrown);
  const isProblem = thrown instanceof StorageProblem;
  const packed = { isProblem, message, cause: isProblem ? cause : thrown };
  if (!(thrown instanceof ServiceError)) return packed;
  const { type, details, retryAfterSeconds } = thrown;
  return { ...packed, type, details, retryAfterSeconds };
}

export function unpackError(packed: PackedError): Error {
  const { type, details, retryAfterSeconds, isProblem, message, cause } = packed;
  if (type !== undefined) {
    const optional = {
      ...(details !== undefined && { details }),
      ...(retryAfterSeconds && { retryAfterSeconds }),
    };
    return new ServiceError(type, message, { cause, ...optional });
  }
  return isProblem ? new StorageProblem(message, { cause, isPassing: true }) : asError(cause);
}
