import type { Response } from 'express';
import type { Config } from '../../config/settings.ts';
import type { LimitStore, Rate } from '../../access/rate.ts';
import { createMemoryStore } from '../../access/memory-limit-store.ts';
import { contextOf } from '../request/request-context.ts';
import type { GuessLimit } from '../routes/route.ts';
import { createGuessLimit, createLimit, type Limit, type LimitOptions, NO_GUESS_LIMIT } from './limiter.ts';

const CLOCKS = { now: Date.now, monotonicNow: () => performance.now() };

interface LimitsOptions extends Pick<Config, 'rateLimitEnabled' | 'rateLimitCapture' | 'rateLimitSigned'> {
  /** Creates a store that instances share. Undefined: each instance limits on its own. */
  readonly sharedStore: ((name: string, rate: Rate) => LimitStore) | undefined;
}

export interface Limits {
  readonly capture: Limit['middleware'];
  readonly signed: Limit['middleware'];
  readonly guesses: GuessLimit;
  /** Idempotent. */
  readonly close: () => void;
}

function bucketOfKey(response: Response): string {
  return contextOf(response).key?.id ?? '';
}

/** Creates the limiter of each route class and of keys with their own rate. */
export function createLimits(options: LimitsOptions): Limits {
  const { rateLimitEnabled: enabled, rateLimitCapture, rateLimitSigned, sharedStore } = options;
  const limitOf = (name: string, rate: Rate, bucketOf?: LimitOptions['bucketOf']): Limit => {
    const shared = { enabled, ...(bucketOf && { bucketOf }) };
    if (sharedStore === undefined) return createLimit(rate, { ...shared, ...CLOCKS });
    return createLimit(rate, { ...shared, store: sharedStore(name, rate) });
  };
  const [capture, signed] = [limitOf('capture', rateLimitCapture), limitOf('signed', rateLimitSigned)];
  // Keys with the same rate share a limiter, with a bucket for each key.
  const ofKeys = new Map<string, Limit>();
  const limitOfKeys = (rate: Rate): Limit => {
    const name = `key-${rate.limit}-${rate.periodMs}`;
    const limit = ofKeys.get(name) ?? limitOf(name, rate, (_request, response) => bucketOfKey(response));
    ofKeys.set(name, limit);
    return limit;
  };
  const orOfKey =
    (limit: Limit): Limit['middleware'] =>
    (request, response, next) => {
      const { rate } = contextOf(response).key ?? {};
      (rate === undefined ? limit : limitOfKeys(rate)).middleware(request, response, next);
    };

  const wrong = enabled ? createMemoryStore(rateLimitCapture, CLOCKS) : undefined;

  return {
    capture: orOfKey(capture),
    signed: orOfKey(signed),
    guesses: wrong === undefined ? NO_GUESS_LIMIT : createGuessLimit(capture.middleware, wrong),
    close: () => {
      for (const limit of [capture, signed, ...ofKeys.values()]) limit.close();
      wrong?.shutdown();
    },
  };
}
