import { ServiceError } from '../errors.ts';
import type { Capture } from './capture.ts';

/** Refuses new captures while the service is closing. Running captures continue. */
export function refuseWhen(isClosed: () => boolean, capture: Capture): Capture {
  return (options, context) => {
    if (!isClosed()) return capture(options, context);
    throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 5 });
  };
}
