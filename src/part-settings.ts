import { FILTER_LIST_SETTINGS } from './blocklists/filter-list-setting.ts';
import { CACHE_SETTINGS } from './cache/cache-setting.ts';
import { COMPAT_SETTINGS } from './compat/compat-setting.ts';
import { MCP_SETTINGS } from './http/routes/mcp/mcp-setting.ts';
import { PAGE_SETTINGS } from './parts/page-setting.ts';
import { JOB_SETTINGS } from './jobs/job-settings.ts';
import { METRICS_SETTINGS } from './metrics/metrics-setting.ts';
import { STORAGE_SETTINGS, storageContradictions } from './storage/storage-setting.ts';
import { TEMPLATE_SETTINGS } from './templates/template-setting.ts';
import { WEBHOOK_SETTINGS } from './webhooks/webhook-setting.ts';

/** Settings of all parts, in the order of the documentation. Apart from `list.ts`, so that commands load no parts. */
export const PART_SETTINGS = {
  rows: {
    ...TEMPLATE_SETTINGS,
    ...FILTER_LIST_SETTINGS,
    ...CACHE_SETTINGS,
    ...STORAGE_SETTINGS,
    ...WEBHOOK_SETTINGS,
    ...JOB_SETTINGS,
    ...PAGE_SETTINGS,
    ...MCP_SETTINGS,
    ...COMPAT_SETTINGS,
    ...METRICS_SETTINGS,
  },
  contradictions: storageContradictions,
};
