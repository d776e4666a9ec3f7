import { ServiceError } from './errors.ts';

/** Runs the work for a part of a request, and names that part in its errors. */
export async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withName(name, error);
  }
}

/** Returns an error for the client with a name in front of its details. Returns other errors unchanged. */
export function withName(name: string, error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { type, message, hint, retryAfterSeconds } = error;
  return new ServiceError(type, message, {
    details: error.details === undefined ? name : `${name}: ${error.details}`,
    cause: error,
    ...(hint !== undefined && { hint }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
