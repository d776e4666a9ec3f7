import type { CompatName } from './compat-setting.ts';
import type { Route } from '../../core/http/routes/route.ts';
import type { Options } from './convert-options.ts';
import { PDF_OPTIONS, SCREENSHOT_OPTIONS as PICTURE_OPTIONS } from './browserless/browserless-options.ts';
import { BROWSERLESS_ROUTES } from './browserless/browserless-routes.ts';
import { SCRAPE_OPTIONS } from './firecrawl/firecrawl-options.ts';
import { FIRECRAWL_ROUTES } from './firecrawl/firecrawl-routes.ts';
import { CONVERT_OPTIONS, SCREENSHOT_OPTIONS } from './gotenberg/gotenberg-options.ts';
import { GOTENBERG_HEALTH } from './gotenberg/gotenberg-health.ts';
import { ENGINE_OPTIONS } from './gotenberg/engine-options.ts';
import { ENGINE_ROUTES } from './gotenberg/engine-routes.ts';
import { GOTENBERG_ROUTES } from './gotenberg/gotenberg-routes.ts';
import type { DocumentsState } from '../documents/documents.ts';
import type { CompatState } from './send-later.ts';
import { TAKE_OPTIONS } from './screenshotone/screenshotone-options.ts';
import { SCREENSHOTONE_ROUTES } from './screenshotone/screenshotone-routes.ts';

/** The interface of another service: its routes, and its options with ours, for the documentation. */
interface OtherService {
  readonly routes: readonly Route<CompatState & DocumentsState>[];
  readonly options: Options;
}

/** Other services by their name in the setting COMPAT. Only `list.ts` knows them. */
export const COMPAT: Readonly<Record<CompatName, OtherService>> = {
  gotenberg: {
    routes: [...GOTENBERG_ROUTES, ...ENGINE_ROUTES],
    options: { ...ENGINE_OPTIONS, ...CONVERT_OPTIONS, ...SCREENSHOT_OPTIONS },
  },
  browserless: { routes: BROWSERLESS_ROUTES, options: { ...PDF_OPTIONS, ...PICTURE_OPTIONS } },
  firecrawl: { routes: FIRECRAWL_ROUTES, options: SCRAPE_OPTIONS },
  screenshotone: { routes: SCREENSHOTONE_ROUTES, options: TAKE_OPTIONS },
};

/** Routes that answer in place of the core's, which come after them. */
export const COMPAT_OVERRIDES: readonly Route<CompatState>[] = [GOTENBERG_HEALTH];

/** The routes of all these services. Those of COMPAT are on. */
export const COMPAT_ROUTES: readonly Route<CompatState & DocumentsState>[] = Object.values(COMPAT).flatMap(
  ({ routes }) => routes,
);
