import { COMPAT_ROUTES } from './compat/index.ts';
import type { CompatState } from './compat/send-later.ts';
import { CAPTURE_ROUTE, DEVICES_ROUTE, SIGN_ROUTE, STATE_ROUTES } from './http/routes.ts';
import { COMPARE_ROUTES } from './http/routes/compare/compare-route.ts';
import { JOB_ROUTES } from './http/routes/jobs/job-routes.ts';
import type { McpState } from './http/routes/mcp/call-tool.ts';
import { MCP_ROUTES } from './http/routes/mcp/mcp-route.ts';
import { METRICS_ROUTES } from './http/routes/metrics-route.ts';
import { createQuotaHeaders } from './http/guards/quota-headers.ts';
import { PAGE_FILES, PAGES } from './http/routes/playground-routes.ts';
import { type AppOptions, type Route, withState } from './http/routes/route.ts';
import { createStoreResult } from './http/routes/store-result.ts';
import type { StoredLinkState } from './http/routes/stored-link.ts';
import { STORED_ROUTES } from './http/routes/stored-routes.ts';
import { TEMPLATE_ROUTES } from './http/routes/templates-route.ts';
import { USAGE_ROUTES } from './http/routes/usage-route.ts';
import type { MetricsState } from './metrics/metrics.ts';

/** What the routes of all parts need besides the core. */
export type PartsState = CompatState & McpState & MetricsState & StoredLinkState;

/** All routes of the service, in the order of the API's description. */
export const ROUTES: readonly Route<PartsState>[] = [
  CAPTURE_ROUTE,
  ...COMPARE_ROUTES,
  SIGN_ROUTE,
  ...TEMPLATE_ROUTES,
  DEVICES_ROUTE,
  ...MCP_ROUTES,
  ...STORED_ROUTES,
  ...JOB_ROUTES,
  ...USAGE_ROUTES,
  ...STATE_ROUTES,
  ...METRICS_ROUTES,
  ...PAGES,
  ...COMPAT_ROUTES,
];

/** What the parts give to the app. */
type Ports = Pick<
  AppOptions,
  'routes' | 'recordRequest' | 'keyHeaders' | 'recount' | 'storeResult' | 'pageFiles' | 'extensions'
>;

/** Returns what the parts give to the app. */
export function portsOf(state: PartsState, core: Pick<AppOptions, 'now' | 'budgets'>): Ports {
  const { jobs, metrics, resultStorage, templates, usage } = state;
  return {
    routes: withState(ROUTES, state),
    recordRequest: metrics.recordRequest,
    keyHeaders: createQuotaHeaders(state),
    recount: async (outcome, key, answer) => await usage?.countAs(outcome, key, answer),
    storeResult: resultStorage && createStoreResult(resultStorage, core),
    pageFiles: PAGE_FILES,
    extensions: {
      'x-templates': templates.areOn,
      'x-jobs': !('missing' in jobs),
      'x-usage': usage !== undefined,
    },
  };
}
