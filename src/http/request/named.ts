import { ServiceError } from '../../errors.ts';

/** Runs the work for a part of the body, and names that part in its errors. */
export async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const details = error.details === undefined ? name : `${name}: ${error.details}`;
    const { type, message, retryAfterSeconds } = error;
    throw new ServiceError(type, message, {
      details,
      cause: error,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }
}
