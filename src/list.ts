import { COMPAT_OVERRIDES, COMPAT_ROUTES } from './parts/compat/index.ts';
import { CAPTURE_ROUTE, DEVICES_ROUTE, SIGN_ROUTE, STATE_ROUTES } from './core/http/routes.ts';
import { COMPARE_ROUTES } from './parts/compare/routes/compare-route.ts';
import { DOCUMENTS_ROUTES } from './parts/documents/routes/documents-route.ts';
import { JOB_ROUTES } from './parts/jobs/routes/job-routes.ts';
import { MCP_ROUTES } from './parts/mcp/mcp-route.ts';
import { METRICS_ROUTES } from './parts/metrics/metrics-route.ts';
import { PAGES } from './parts/pages/playground-routes.ts';
import { openTracer } from './parts/tracing/open-tracer.ts';
import type { Route } from './core/http/routes/route.ts';
import { REHEARSAL } from './parts/rehearsal/rehearsal-part.ts';
import { STORED_ROUTES } from './parts/storage/routes/stored-routes.ts';
import { TEMPLATE_ROUTES } from './parts/templates/templates-route.ts';
import { USAGE_ROUTES } from './parts/usage/usage-route.ts';
import { CACHE } from './parts/cache/cache-part.ts';
import { DOCUMENTS } from './parts/documents/documents-part.ts';
import { COMPARE } from './parts/compare/compare-part.ts';
import { FILTER_LISTS } from './parts/filter-lists/filter-lists-part.ts';
import { JOBS } from './parts/jobs/jobs-part.ts';
import { METRICS, METRICS_SERVER } from './parts/metrics/metrics-part.ts';
import { PAGE_FILES_PART } from './parts/pages/pages-part.ts';
import { SHARED_LIMITS } from './parts/shared-limits/shared-limits-part.ts';
import { STORAGE } from './parts/storage/storage-part.ts';
import { TEMPLATES } from './parts/templates/templates-part.ts';
import { USAGE } from './parts/usage/usage-part.ts';
import { WEBHOOKS } from './parts/webhooks/webhooks-part.ts';
import { WATCHES } from './parts/watches/watches-part.ts';
import { WATCH_ROUTES } from './parts/watches/routes/watch-routes.ts';
import { partsWith, type PartList } from './core/part.ts';
import { PART_SETTINGS } from './part-settings.ts';

/** What the service can do besides captures, in the order in which it opens. */
const PARTS = partsWith(PART_SETTINGS)
  .and(TEMPLATES)
  .and(FILTER_LISTS)
  .and(SHARED_LIMITS)
  .and(CACHE)
  .and(METRICS)
  .and(STORAGE)
  .and(WEBHOOKS)
  .and(JOBS)
  .and(USAGE)
  .and(COMPARE)
  .and(DOCUMENTS)
  .and(WATCHES)
  .and(REHEARSAL)
  .and(METRICS_SERVER)
  .and(PAGE_FILES_PART);

/** What the routes get of all parts. */
export type PartsState = typeof PARTS extends PartList<infer State> ? State : never;

/** All routes of the service, in the order of the API's description. */
export const ROUTES: readonly Route<PartsState>[] = [
  CAPTURE_ROUTE,
  ...COMPARE_ROUTES,
  ...DOCUMENTS_ROUTES,
  SIGN_ROUTE,
  ...TEMPLATE_ROUTES,
  DEVICES_ROUTE,
  ...MCP_ROUTES,
  ...STORED_ROUTES,
  ...JOB_ROUTES,
  ...WATCH_ROUTES,
  ...USAGE_ROUTES,
  ...COMPAT_OVERRIDES,
  ...STATE_ROUTES,
  ...METRICS_ROUTES,
  ...PAGES,
  ...COMPAT_ROUTES,
];

export const LIST = { parts: PARTS, routes: ROUTES, openTracer };
