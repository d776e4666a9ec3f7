import { COLOUR, toCss } from '../colour.ts';
import { sendHtml, toDocument, type Route, type Routes } from './exchange.ts';

/** Ways for a page to request animation frames. */
export const REQUESTED = {
  'the function of its window': 'requestAnimationFrame(step);',
  'a function that it took at load': 'raf(step);',
  'a bound function that it took at load': 'bound(step);',
  'the function with a prefix': 'webkitRequestAnimationFrame(step);',
} as const;

export type Requested = keyof typeof REQUESTED;

/** Returns the path of a page that is red for this many frames, and green afterwards. */
export function countedPath(frames: number, requested: Requested = 'the function of its window'): string {
  return `/counted/page?${new URLSearchParams({ frames: String(frames), requested }).toString()}`;
}

const TAKEN = 'const raf = window.requestAnimationFrame, bound = raf.bind(window);';

/**
 * `/counted/in/*`: a full-viewport frame with a counted page: of the same origin, of another origin in the same
 * process, sandboxed, of another site.
 */
export function countedRoutes(): Routes {
  return {
    '/counted/page': ({ response, url }) => {
      const frames = Number(url.searchParams.get('frames'));
      const requestedName = url.searchParams.get('requested');
      const [, request = ''] = Object.entries(REQUESTED).find(([name]) => name === requestedName) ?? [];
      sendHtml(response, countedDocument(frames, request));
    },
    '/counted/in/*': around,
  };
}

const around: Route = ({ response, rest, crossSiteOrigin }) => {
  const frames = 120;
  const path = countedPath(frames);
  const addresses: Readonly<Record<string, string>> = {
    'another-site': `${crossSiteOrigin}${path}`,
    data: `data:text/html,${encodeURIComponent(countedDocument(frames, REQUESTED['the function of its window']))}`,
  };
  const sandbox = rest === 'sandbox' ? 'sandbox="allow-scripts"' : '';
  const style = 'position:fixed;inset:0;width:100%;height:100%;border:0';
  const frame = `<iframe src="${addresses[rest] ?? path}" ${sandbox} style="${style}"></iframe>`;
  sendHtml(response, toDocument({ body: frame }));
};

function countedDocument(frames: number, request: string): string {
  const done = `document.documentElement.style.background = '${toCss(COLOUR.green)}';`;
  return toDocument({
    head: `<style>html { background: ${toCss(COLOUR.red)} }</style>`,
    body: `<script>${TAKEN} let n = 0; const step = () => { if (++n < ${frames}) { ${request} } else { ${done} } }; ${request}</script>`,
  });
}
