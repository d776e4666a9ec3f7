import { raceAbort } from '../../core/ground/timeouts.ts';
import type { Step } from '../../core/steps/common/step.ts';
import { blockByHost, usesLists } from './by-host.ts';
import { hideAndName } from './in-page/names-of.ts';
import { adoptStyleSheet } from '../../core/steps/in-page/adopt-style-sheet.ts';

/** Address of supplied markup for the filter lists. All its requests count as requests to another site. */
const NOWHERE = 'https://markup.invalid/';
/** Maximum number of frames whose addresses are remembered. Further frames count as the page itself. */
const MAX_FRAMES = 1_000;

/**
 * Blocks requests that the filter lists of the operator match, frames included, but never the page itself. Every
 * request is intercepted, which costs a round trip each.
 */
export const blockByList: Step<typeof blockByHost.schema> = {
  name: 'block-by-list',
  schema: blockByHost.schema,
  apply: async (page, options, { lists, blocked }) => {
    if (!usesLists(options)) return;
    const engine = await raceAbort(lists(), page.signal);
    if (engine === undefined) return;

    const { mainFrameId } = page;
    const isListed = engine.forPage();
    const origins = new Map<string, string>();
    let isExcepted = false;
    const remember = (frameId: string, url: string): void => {
      if (!origins.has(frameId) && origins.size >= MAX_FRAMES) return;
      origins.set(frameId, URL.parse(url)?.origin ?? NOWHERE);
    };

    blocked.followRedirects(page);
    await page.intercept({
      // Ignores `data:` and `blob:`, which come from the page itself.
      patterns: [{ urlPattern: 'http*', requestStage: 'Request' }],
      onRequest: ({ requestId, networkId = requestId, frameId, resourceType, request: { url } }) => {
        const isDocument = resourceType === 'Document';
        if (isDocument && frameId === mainFrameId) {
          isExcepted = engine.excepts(url);
          remember(frameId, url);
          return undefined;
        }
        if (isExcepted) return undefined;
        const ofPage = origins.get(mainFrameId) ?? NOWHERE;
        // The source of a frame's document is the parent page. The source of every other request is its own frame.
        const source = isDocument ? ofPage : (origins.get(frameId) ?? ofPage);
        if (isListed({ url, resourceType, source })) {
          blocked.add({ requestId: networkId, url, resourceType, frameId, keepsPlace: false });
          return { block: true };
        }
        if (isDocument) remember(frameId, url);
        return undefined;
      },
    });
  },
};

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
    const names = await page.evaluate(hideAndName, css);
    const more = engine.stylesForNames(address, names);
    if (more !== '') await page.evaluate(adoptStyleSheet, more);
  },
};
