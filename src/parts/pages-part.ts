import { PAGE_FILES } from '../http/routes/playground-routes.ts';
import type { Part } from '../service/part.ts';

/** The pages of the service for browsers. */
export const PAGE_FILES_PART: Part<object, object> = {
  open: () => ({ state: {}, ports: { pageFiles: PAGE_FILES } }),
};
