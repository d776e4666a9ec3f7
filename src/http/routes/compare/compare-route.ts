import type { RequestHandler } from 'express';
import { parseBody } from '../../request/read-body.ts';
import type { HandlerOptions } from '../route.ts';
import { compareRequest } from './compare-request.ts';
import { createCompareSides } from './compare-sides.ts';

/** Handles `POST /compare`. */
export function createCompareHandler(options: HandlerOptions): RequestHandler {
  const compareSides = createCompareSides(options);
  return async (request, response) => {
    const { body } = await compareSides(parseBody(compareRequest, request.body ?? {}), request, response);
    options.sendBody(response.status(200).type('json'), body, { isKept: false });
  };
}
