import type { RequestHandler, Response } from 'express';
import type { Key } from '../../core/access/key.ts';
import type { Usage } from './usage.ts';
import { contextOf } from '../../core/http/request/request-context.ts';

/**
 * Adds X-Quota-Limit, X-Quota-Remaining and X-Quota-Reset (Unix seconds) to every answer to a key with a quota. They
 * are set when the headers are sent, so that they include the capture of this request.
 */
export function createQuotaHeaders({ usage }: { readonly usage: Usage | undefined }): RequestHandler[] {
  if (usage === undefined) return [];
  return [
    async (_request, response, next) => {
      const { key } = contextOf(response);
      if (key?.quota !== undefined) {
        await usage.recentQuota(key); // reads the store only for the first request of a key in a period
        setBeforeHeaders(response, usage, key);
      }
      next();
    },
  ];
}

function setBeforeHeaders(response: Response, usage: Usage, key: Key): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...args: unknown[]) => {
    const quota = usage.recentQuota(key);
    if (quota !== undefined && !(quota instanceof Promise)) {
      response.set({
        'X-Quota-Limit': `${quota.limit}`,
        'X-Quota-Remaining': `${quota.remaining}`,
        'X-Quota-Reset': `${quota.resetsAtMs / 1_000}`,
      });
    }
    return Reflect.apply(writeHead, undefined, args);
  };
}
