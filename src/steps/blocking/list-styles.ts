import { raceAbort } from '../../timeouts.ts';
import type { Step } from '../common/step.ts';
import { namesOf } from './in-page/names-of.ts';
import { rootsOf } from '../in-page/roots-of.ts';
import { adoptStyleSheet } from '../in-page/adopt-style-sheet.ts';
import { hideAndName } from './in-page/hide-and-name.ts';
import { blockByHost, usesLists } from './by-host.ts';

/**
 * Hides elements that the filter lists name: empty ad slots, and ads that the page itself inserts. Can be applied
 * again.
 */
export const listStyles: Step<typeof blockByHost.schema> = {
  name: 'list-styles',
  schema: blockByHost.schema,
  apply: async (page, options, { lists, isPainted, url }) => {
    if (!isPainted || !usesLists(options)) return;
    const engine = await raceAbort(lists(), page.signal);
    // Rules apply to addresses of pages. Supplied markup has none.
    const address = page.mainFrame.current()?.url ?? url ?? '';
    if (engine === undefined || engine.excepts(address)) return;
    const css = engine.stylesForPage(address);
    const names = await page.evaluate(hideAndName, css, rootsOf, adoptStyleSheet, namesOf);
    const more = engine.stylesForNames(address, names);
    if (more !== '') await page.evaluate(adoptStyleSheet, more, rootsOf);
  },
};
