import { toggle } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of the pages for browsers. */
export const PAGE_SETTINGS = {
  playground: setting('PLAYGROUND', {
    ...toggle(),
    default: 'true',
    meaning:
      'Serves the playground at /, comparisons at /comparison, the page of jobs at /queue, the page of usage at /usage, the API reference at /docs and the guides at /guides/readme',
  }),
};

/** What the routes of pages need besides the core. */
export interface PageState {
  readonly config: ConfigOf<typeof PAGE_SETTINGS>;
}
