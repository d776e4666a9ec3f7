import { ASSEMBLED } from './cases/assembled.ts';
import { COMPARISONS } from './cases/comparisons.ts';
import { DOCUMENTS } from './cases/documents.ts';
import { PAGES } from './cases/pages.ts';
import { PICTURES } from './cases/pictures.ts';
import { REQUESTS } from './cases/requests.ts';
import { SERVICES } from './cases/services.ts';

export const ALL_CASES = [...REQUESTS, ...PAGES, ...PICTURES, ...DOCUMENTS, ...COMPARISONS, ...ASSEMBLED, ...SERVICES];

/** Settings of the measured service. */
export const SERVICE_SETTINGS = {
  EGRESS_ALLOW: '127.0.0.0/8,localhost',
  RATE_LIMIT_ENABLED: 'false',
  MCP: 'true',
  COMPAT: 'gotenberg,firecrawl,browserless,screenshotone',
  POOL_SIZE: '4',
};
