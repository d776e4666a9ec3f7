import type { RequestHandler } from 'express';
import { parseBody } from '../../../core/http/request/read-body.ts';
import type { HandlerOptions, Route } from '../../../core/http/routes/route.ts';
import { COMPARE_OPERATION, compareSchemas } from './compare-operation.ts';
import { compareRequest } from './compare-request.ts';
import { type ComparisonState, createCompareSides } from './compare-sides.ts';

export const COMPARE_ROUTES: readonly Route<ComparisonState>[] = [
  {
    path: '/compare',
    methods: ['POST'],
    name: 'compare',
    callers: 'bearer',
    right: 'capture',
    isLimited: true,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes },
    createHandler: createCompareHandler,
    operations: { post: COMPARE_OPERATION },
    schemas: compareSchemas,
  },
];

/** Handles `POST /compare`. */
function createCompareHandler(options: HandlerOptions & ComparisonState): RequestHandler {
  const compareSides = createCompareSides(options);
  return async (request, response) => {
    const { body } = await compareSides(parseBody(compareRequest, request.body ?? {}), request, response);
    options.sendBody(response.status(200).type('json'), body, { isKept: false });
  };
}
