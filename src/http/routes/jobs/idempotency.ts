import { createHash } from 'node:crypto';
import { validationError } from '../../../errors.ts';
import { DEFAULT_KEY } from '../../../keys/key.ts';
import type { Idempotency } from '../../../jobs/job-store.ts';

const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the idempotency key and the fingerprint of a request. Undefined without a key. Each owner has its own idempotency keys.
 * @throws ServiceError ValidationError
 */
export function readIdempotency(
  key: string | undefined,
  request: { readonly path: string; readonly body: unknown; readonly owner: string },
): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (!KEY_FORM.test(key)) {
    throw validationError('Idempotency-Key: must be 1 to 255 visible ASCII characters, for example a UUID');
  }
  const text = JSON.stringify([request.path, inOrder(request.body)]);
  // The space separates owners, because keys of clients contain none. Keys of `default` keep the form of earlier versions.
  const ownKey = request.owner === DEFAULT_KEY ? key : `${request.owner} ${key}`;
  return { key: ownKey, fingerprint: createHash('sha256').update(text).digest('base64url') };
}

/** Sorts fields by name, because clients may send them in any order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, each]) => [name, inOrder(each)]);
}
