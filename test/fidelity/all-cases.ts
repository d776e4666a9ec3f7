import { createFixtureSite, type FixtureSite } from '../support/fixture-site.ts';
import { DOCUMENT_CASES } from './cases/documents.ts';
import { ELEMENT_CASES } from './cases/elements.ts';
import { FULL_PAGE_CASES } from './cases/full-page.ts';
import { LAZY_CASES } from './cases/lazy-content.ts';
import { MARKUP_CASES } from './cases/markup.ts';
import { PENDING_CASES } from './cases/pending.ts';
import { READINESS_CASES } from './cases/readiness.ts';
import { REVEAL_CASES } from './cases/reveals.ts';
import { SERVICE_CASES } from './cases/service.ts';
import { STEADY_CASES } from './cases/steady.ts';
import { TALL_CASES } from './cases/tall.ts';
import type { FidelityCase } from './fidelity-case.ts';
import { animatedRoutes } from './pages/animated.ts';
import { documentPageRoutes } from './pages/documents.ts';
import { elementRoutes } from './pages/elements.ts';
import { growingListRoutes } from './pages/growing-list.ts';
import { layoutRoutes } from './pages/layout.ts';
import { lazyRoutes } from './pages/lazy.ts';
import { movingRoutes } from './pages/moving.ts';
import { pendingRoutes } from './pages/pending.ts';
import { revealedRoutes } from './pages/revealed.ts';
import { readinessRoutes } from './pages/readiness.ts';

/** Every case, in the order of the table. */
export const ALL_CASES: readonly FidelityCase[] = [
  ...READINESS_CASES,
  ...PENDING_CASES,
  ...LAZY_CASES,
  ...REVEAL_CASES,
  ...FULL_PAGE_CASES,
  ...TALL_CASES,
  ...ELEMENT_CASES,
  ...DOCUMENT_CASES,
  ...MARKUP_CASES,
  ...STEADY_CASES,
  ...SERVICE_CASES,
];

/** Settings of the service for these cases: the largest picture of a tall page fits. */
export const SERVICE_SETTINGS = { POOL_SIZE: '4', MAX_PIXELS: '300000000' } as const;

/** Creates a site with the pages of all cases. The caller closes it. */
export function createFidelitySite(): Promise<FixtureSite> {
  return createFixtureSite({
    moreRoutes: {
      ...readinessRoutes(),
      ...pendingRoutes(),
      ...lazyRoutes(),
      ...growingListRoutes(),
      ...revealedRoutes(),
      ...layoutRoutes(),
      ...elementRoutes(),
      ...documentPageRoutes(),
      ...movingRoutes(),
      ...animatedRoutes(),
    },
  });
}
