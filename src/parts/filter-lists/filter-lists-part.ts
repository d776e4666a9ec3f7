import type { FilterListSettings } from '../../features/blocking/lists/filter-list-setting.ts';
import { createFilterLists } from '../../features/blocking/lists/filter-lists.ts';
import type { Part } from '../../core/part.ts';

/** Lists of the operator that block requests of pages. They are read when the service listens. */
export const FILTER_LISTS: Part<{ readonly config: FilterListSettings }, object> = {
  open: ({ config, lifecycle, log }) => {
    const lists = createFilterLists({ paths: config.blockLists, log });
    lifecycle.onClose({ name: 'filter lists', timeoutMs: 2_000, close: lists.close });
    return { state: {}, ports: { lists: lists.engine }, start: lists.start };
  },
};
