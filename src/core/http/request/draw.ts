import type { Request, RequestHandler, Response } from 'express';
import { asError } from '../../ground/timeouts.ts';

/** Counts one more request against a rate limit. @throws ServiceError RateLimitError */
export function draw(limit: RequestHandler, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void limit(request, response, (error: unknown) => {
      if (error === undefined) resolve();
      else reject(asError(error));
    });
  });
}
