import type { Protocol } from 'puppeteer';
import type { Page } from '../../core/browser/page/page.ts';
import type { SavedPart } from './read-mhtml.ts';

const TYPES: ReadonlySet<string> = new Set(['Image', 'Font', 'Stylesheet']);
const DRAWING = 'image/svg+xml';
const LOCATION = 'Content-Location: ';
const MOST_RESOURCES = 1_000;

/**
 * Returns pictures, fonts and style sheets that the page has loaded and Chrome does not save: those of drawings (SVG),
 * of videos and of shadow trees, drawings whose parts are used, and many fonts (Chromium 153).
 */
export async function unsavedResources(page: Page, mhtml: Buffer, maxBytes: number): Promise<SavedPart[]> {
  const saved = savedAddresses(mhtml);
  const { frameTree } = await page.send('Page.getResourceTree');
  const found: SavedPart[] = [];
  let left = maxBytes;
  for (const { frameId, url, mimeType } of resourcesOf(frameTree)) {
    if (saved.has(url) || !/^https?:/.test(url) || found.length === MOST_RESOURCES) continue;
    saved.add(url);
    const body = await loadedAgain(page, frameId, url);
    if (body === undefined) continue;
    left -= body.length;
    if (left < 0) break; // the file would be too large with it, and is without it what it can be
    found.push({ address: url, id: undefined, type: mimeType.toLowerCase(), body });
  }
  return found;
}

/** Takes a file from the cache of the browser. One that must not be cached is requested once more. */
async function loadedAgain(page: Page, frameId: string, url: string): Promise<Buffer | undefined> {
  const options = { disableCache: false, includeCredentials: true };
  const { resource } = await page.send('Network.loadNetworkResource', { frameId, url, options });
  const { stream, httpStatusCode: status = 0 } = resource;
  const body = stream === undefined ? undefined : await page.readStream(stream);
  return status < 400 ? body : undefined;
}

function savedAddresses(mhtml: Buffer): Set<string> {
  const saved = new Set<string>();
  for (let at = mhtml.indexOf(LOCATION); at !== -1; at = mhtml.indexOf(LOCATION, at + 1)) {
    const end = mhtml.indexOf('\r\n', at);
    saved.add(mhtml.toString('utf8', at + LOCATION.length, end === -1 ? undefined : end));
  }
  return saved;
}

function* resourcesOf({
  frame,
  resources,
  childFrames = [],
}: Protocol.Page.FrameResourceTree): Generator<{ readonly frameId: string } & Protocol.Page.FrameResource> {
  for (const resource of resources)
    if (TYPES.has(resource.type) || resource.mimeType === DRAWING) yield { frameId: frame.id, ...resource };
  for (const child of childFrames) yield* resourcesOf(child);
}
