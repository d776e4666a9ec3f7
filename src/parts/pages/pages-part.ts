import type { PageState } from './page-setting.ts';
import { PAGE_FILES } from './playground-routes.ts';
import type { Part } from '../../core/part.ts';

/** The pages of the service for browsers. */
export const PAGE_FILES_PART: Part<PageState, object> = {
  open: ({ config }) => ({ state: {}, ports: { pageFiles: config.playground ? PAGE_FILES : {} } }),
};
