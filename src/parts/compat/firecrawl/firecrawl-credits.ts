import type { RequestHandler } from 'express';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { UsageState } from '../../usage/usage.ts';

/** Credits of a key without a quota. Clients divide by them. */
const UNLIMITED = 1_000_000_000;

/** Handles `GET /team/credit-usage`: the quota of the key. Clients call it to check their credential. */
export function createCreditsHandler({ usage }: UsageState): RequestHandler {
  return async (_request, response) => {
    const { key } = contextOf(response);
    const quota = key?.quota === undefined ? undefined : await usage?.currentQuota(key);
    const { remaining = UNLIMITED, limit = UNLIMITED } = quota ?? {};
    const ends = quota === undefined ? null : new Date(quota.resetsAtMs).toISOString();
    response.set('Cache-Control', 'no-store').json({
      success: true,
      data: {
        remainingCredits: remaining,
        planCredits: limit,
        remainingTokens: remaining,
        planTokens: limit,
        billingPeriodStart: null,
        billingPeriodEnd: ends,
        // names of version 1
        remaining_credits: remaining,
        plan_credits: limit,
        remaining_tokens: remaining,
        plan_tokens: limit,
        billing_period_end: ends,
      },
    });
  };
}
