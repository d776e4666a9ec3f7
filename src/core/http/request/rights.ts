import type { RequestHandler } from 'express';
import { ServiceError } from '../../ground/errors.ts';
import { type Key, type Scope, seesEverything } from '../../access/key.ts';
import { contextOf } from './request-context.ts';

/** What a route needs: a scope, or the default key. */
export type Right = Scope | 'default key';

/** Refuses keys without the right. Without authentication, everything is allowed. */
export function createRightCheck(right: Right): RequestHandler {
  return (_request, response, next) => {
    checkRight(contextOf(response).key, right);
    next();
  };
}

/** @throws ServiceError ScopeError */
export function checkRight(key: Key | undefined, right: Right): void {
  if (right === 'default key' ? seesEverything(key) : key?.scopes.has(right) !== false) return;
  throw new ServiceError('ScopeError', undefined, {
    details: right === 'default key' ? 'needs AUTH_TOKEN' : `needs the scope ${right}`,
  });
}
