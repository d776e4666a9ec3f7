import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { CaptureAnswer } from '../../../core/capture/capture.ts';
import { ServiceError, validationError } from '../../../core/ground/errors.ts';
import { createCapturing, type RouteOptions } from '../../../core/http/routes/capture-route.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { parseBody } from '../../../core/http/request/read-body.ts';
import type { Fields } from '../convert-options.ts';
import { withScheme } from './firecrawl-options.ts';

/** Maximum number of links in an answer, as in Firecrawl. */
const MOST_LINKS = 5_000;

/**
 * A page of the site that reads its sitemap and links to what is in it. Chrome shows XML as a tree, which takes 23 s
 * for the 50,000 entries that a sitemap may have.
 */
const READER = `<!doctype html><title>Sitemap</title><script>
  fetch('/sitemap.xml').then((answer) => answer.ok ? answer.text() : '').then((text) => {
    const sitemap = new DOMParser().parseFromString(text, 'text/xml');
    for (const entry of [...sitemap.getElementsByTagNameNS('*', 'loc')].slice(0, ${MOST_LINKS}))
      document.body.append(Object.assign(document.createElement('a'), { href: entry.textContent.trim() }));
  });
</script><body>`;

/** The body of `/map`. Clients send members of their own, which change nothing. */
const mapRequest = z.looseObject({
  url: z.string({ error: 'is required' }),
  search: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(100_000).optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
  sitemap: z.enum(['include', 'skip', 'only']).optional(),
  ignoreSitemap: z.boolean().optional(), // version 1
  sitemapOnly: z.boolean().optional(),
  timeout: z.number().optional(),
});
type MapRequest = z.infer<typeof mapRequest>;

const found = z.object({ entries: z.array(z.object({ url: z.string(), text: z.string() })) });

interface Link {
  readonly url: string;
  readonly title?: string;
}

/** Handles `POST /map`: the links of one page, and those of the sitemap of its site. */
export function createMapHandler(options: RouteOptions, version: string): RequestHandler {
  const { parseFields, capture } = options;
  return createCapturing(
    options,
    (request, { key }) => {
      const call = readMap(request);
      return parseFields(sitemapOf(call) === 'only' ? sitemapFields(call) : pageFields(call), { key });
    },
    {
      send: async (request, response, { answer }) => {
        const context = contextOf(response);
        const call = readMap(request);
        let links = await linksOf(answer);
        if (sitemapOf(call) === 'include') {
          const { capture: requested } = await parseFields(sitemapFields(call), context);
          // A site may have no sitemap, or one that can't be reached.
          const listed = await capture(requested, context).then(linksOf).catch(none);
          links = [...listed, ...links];
        }
        const taken = select(links, { ...call, url: answer.facts.targetUrl ?? call.url });
        response.set('Cache-Control', 'no-store');
        response.json({ success: true, links: version === '/v1' ? taken.map(({ url }) => url) : taken });
      },
    },
  );
}

/** Reads the part alone: the whole answer of a large page takes 300 ms to parse. */
async function linksOf({ parts }: CaptureAnswer): Promise<readonly Link[]> {
  const { entries } = found.parse(JSON.parse(parts.get('links')?.toString('utf8') ?? '{"entries":[]}'));
  return entries.map(({ url, text }) => ({ url, ...(text !== '' && { title: text }) }));
}

function none(error: unknown): readonly Link[] {
  if (error instanceof ServiceError) return [];
  throw error;
}

function readMap(request: Request): MapRequest {
  const body = Object.entries(Object(request.body)).filter(([, value]) => value !== null); // not set
  const given = parseBody(mapRequest, Object.fromEntries(body));
  const call = { ...given, url: String(withScheme(given.url)) };
  if (!/^https?:$/.test(URL.parse(call.url)?.protocol ?? ''))
    throw validationError('url: must be an http or https address');
  return call;
}

function sitemapOf({ sitemap, ignoreSitemap, sitemapOnly }: MapRequest): 'include' | 'skip' | 'only' {
  if (sitemapOnly === true) return 'only';
  return sitemap ?? (ignoreSitemap === true ? 'skip' : 'include');
}

function pageFields({ url, timeout }: MapRequest): Fields {
  return { url, format: 'html', response_type: 'json', include: ['links'], ...limitOf(timeout) };
}

function sitemapFields({ url, timeout }: MapRequest): Fields {
  const page = { html_content: READER, base_url: new URL('/', url).href };
  return { ...page, format: 'html', response_type: 'json', include: ['links'], ...limitOf(timeout) };
}

function limitOf(timeout: number | undefined): Fields {
  return timeout === undefined ? {} : { wait_for_timeout: timeout };
}

/** Returns each link of the site once, without fragments, those of the request only. */
function select(links: readonly Link[], call: MapRequest): readonly Link[] {
  const { search, limit = MOST_LINKS, includeSubdomains: withSubdomains = true, ignoreQueryParameters = true } = call;
  const site = new URL(call.url).hostname.replace(/^www\./, '');
  const words = search?.toLowerCase().split(/\s+/) ?? [];
  const taken = new Map<string, Link>();
  for (const { url: address, ...link } of links) {
    if (taken.size >= Math.min(limit, MOST_LINKS)) break;
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    const host = url.hostname.replace(/^www\./, '');
    if (host !== site && !(withSubdomains && host.endsWith(`.${site}`))) continue;
    url.hash = '';
    if (ignoreQueryParameters) url.search = '';
    const text = `${url.href} ${link.title ?? ''}`.toLowerCase();
    if (words.every((word) => text.includes(word)) && !taken.has(url.href))
      taken.set(url.href, { url: url.href, ...link });
  }
  return [...taken.values()];
}
