import { createQuotaHeaders } from './quota-headers.ts';
import type { Part } from '../../core/part.ts';
import { createUsageOf } from './create-usage.ts';
import type { UsageState } from './usage.ts';
import { withQuota, withUsage } from './with-usage.ts';

/** Counts the captures of keys, and holds their quotas. */
export const USAGE: Part<object, UsageState> = {
  open: async ({ config, lifecycle, log }) => {
    const usage = await createUsageOf({ ...config, log });
    if (usage === undefined) return { state: { usage }, ports: { extensions: { 'x-usage': false } } };
    lifecycle.onClose({ name: 'usage', timeoutMs: 4_000, close: usage.close });
    return {
      state: { usage },
      ports: {
        keyHeaders: createQuotaHeaders({ usage }),
        recount: async (outcome, key, answer) => await usage.countAs(outcome, key, answer),
        extensions: { 'x-usage': true },
      },
      // Outside: cached answers count, and a failure counts for each client that shares it.
      around: { outside: withUsage(usage), inside: withQuota(usage) },
    };
  },
};
