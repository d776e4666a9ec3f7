import { FILTER_LIST_SETTINGS } from './features/blocking/lists/filter-list-setting.ts';
import { CACHE_SETTINGS } from './parts/cache/cache-setting.ts';
import { COMPAT_SETTINGS } from './parts/compat/compat-setting.ts';
import { MCP_SETTINGS } from './parts/mcp/mcp-setting.ts';
import { PAGE_SETTINGS } from './parts/pages/page-setting.ts';
import { JOB_SETTINGS } from './parts/jobs/job-settings.ts';
import { METRICS_SETTINGS } from './parts/metrics/metrics-setting.ts';
import { REHEARSAL_SETTINGS } from './parts/rehearsal/rehearsal-settings.ts';
import { STORAGE_SETTINGS, storageContradictions } from './parts/storage/storage-setting.ts';
import { TEMPLATE_SETTINGS } from './parts/templates/template-setting.ts';
import { WATCH_SETTINGS } from './parts/watches/watch-settings.ts';
import { WEBHOOK_SETTINGS } from './parts/webhooks/webhook-setting.ts';

/** Settings of all parts, in the order of the documentation. Apart from `list.ts`, so that commands load no parts. */
export const PART_SETTINGS = {
  rows: {
    ...TEMPLATE_SETTINGS,
    ...FILTER_LIST_SETTINGS,
    ...CACHE_SETTINGS,
    ...STORAGE_SETTINGS,
    ...WEBHOOK_SETTINGS,
    ...JOB_SETTINGS,
    ...WATCH_SETTINGS,
    ...REHEARSAL_SETTINGS,
    ...PAGE_SETTINGS,
    ...MCP_SETTINGS,
    ...COMPAT_SETTINGS,
    ...METRICS_SETTINGS,
  },
  contradictions: storageContradictions,
};
