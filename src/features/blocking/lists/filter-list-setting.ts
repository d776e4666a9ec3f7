import { resolve } from 'node:path';
import { z } from 'zod';
import { refuse, splitList } from '../../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../../core/config/setting.ts';
import { describeUnreadable } from './filter-list-files.ts';

/** Returns absolute paths of files that exist and are readable now. Later problems are logged. */
function parseListFiles(text: string, context: z.RefinementCtx): string[] {
  const paths = splitList(text).map((path) => resolve(path));
  const problem = describeUnreadable(paths);
  return problem === undefined ? paths : refuse(context, problem);
}

/** Settings of the filter lists. */
export const FILTER_LIST_SETTINGS = {
  blockLists: setting('BLOCK_LISTS', {
    shapesCaptures: true,
    form: 'a comma-separated list of the paths of files',
    schema: z.string().transform(parseListFiles),
    default: '',
    meaning: 'Filter lists in EasyList syntax for block_ads and block_trackers. Changed files are loaded again',
  }),
};

export type FilterListSettings = ConfigOf<typeof FILTER_LIST_SETTINGS>;
