import type { CDPSession } from 'puppeteer';
import type { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import { canonicalHost } from '../../core/egress/destination.ts';
import { HOST_KINDS, type HostKind } from './lists/host-amendments.ts';
import { type KnownHost, loadHostTable } from './lists/host-table.ts';
import { booleanField, fieldsOf } from '../../core/steps/common/fields.ts';
import type { BlockedRequests } from '../../core/steps/common/blocked-requests.ts';
import type { Step, StepContext } from '../../core/steps/common/step.ts';

const schema = fieldsOf('look', {
  block_ads: booleanField({
    description:
      'Block requests to known advertising hosts. This field and the next three block by host, and never block the site of the page itself. `X-Filtered-Requests` counts them',
    example: true,
  }).default(false),
  block_trackers: booleanField({
    description: 'Block requests to known hosts of analytics and tag managers',
    example: true,
  }).default(false),
  block_chats: booleanField({
    description: 'Block requests to known hosts of chat and support widgets',
    example: true,
  }).default(false),
  block_socials: booleanField({
    description: 'Block requests to known hosts of social networks, including buttons and embedded posts',
    example: true,
  }).default(false),
});

/** Chrome's error for a refusal of the gate. */
const REFUSED = 'net::ERR_SOCKS_CONNECTION_FAILED';

interface PendingRequest {
  readonly host: string;
  readonly url: string;
  readonly resourceType: string;
  readonly frameId: string | undefined;
}

/**
 * Blocks connections to hosts of the requested categories at the gate. Intercepts no request, and makes no protocol
 * call for pages without such hosts.
 */
export const blockByHost: Step<typeof schema> = {
  name: 'block-by-host',
  schema,
  apply: async (page, options, context) => {
    const kinds = kindsOf(options);
    if (kinds.size === 0) return;
    const [table, siteOf] = await Promise.all([loadHostTable(), loadSites()]);
    const find = (host: string): KnownHost | undefined => {
      const known = table.find(host);
      return known !== undefined && kinds.has(known.kind) ? known : undefined;
    };
    /** The page's own site is never blocked, with all domains of its owner: facebook.com needs fbcdn.net. */
    const isOwn = (host: string, { owner }: KnownHost): boolean =>
      ownHosts(page, context).some((own) => siteOf(own) === siteOf(host) || table.find(own)?.owner === owner);

    context.gateSession.block(async ({ host, isWebSocket }) => {
      const known = find(host);
      if (known === undefined || isOwn(host, known)) return false;
      // The browser announces a navigation of the main frame before it connects, but over the pipe, which may be read
      // later.
      await page.receivePendingEvents();
      if (isOwn(host, known)) return false;
      if (isWebSocket) context.blocked.addOne();
      else context.blocked.addConnection(host);
      return true;
    });
    context.blocked.followRedirects(page);
    page.followSessions((session) => {
      countRequests(session, context.blocked, (host) => find(host) !== undefined);
    });
  },
};

function kindsOf(options: z.output<typeof schema>): ReadonlySet<HostKind> {
  const isRequested: Readonly<Record<HostKind, boolean>> = {
    ads: options.block_ads,
    trackers: options.block_trackers,
    chats: options.block_chats,
    socials: options.block_socials,
  };
  return new Set(HOST_KINDS.filter((kind) => isRequested[kind]));
}

/** Hosts of the requested URL, of the current document, and of the pending navigation. */
function ownHosts({ mainFrame }: Page, { url }: StepContext): readonly string[] {
  const addresses = [url, mainFrame.current()?.url, mainFrame.lastRequested()];
  return addresses.flatMap((address) => hostOf(address ?? '') ?? []);
}

/**
 * Counts requests that fail at the gate instead of connections, because a browser opens unused connections and repeats
 * failed ones.
 */
function countRequests(session: CDPSession, blocked: BlockedRequests, isBlocked: (host: string) => boolean): void {
  const pending = new Map<string, PendingRequest>();
  session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type, frameId }) => {
    const host = hostOf(url);
    if (host !== undefined && isBlocked(host))
      pending.set(requestId, { host, url, resourceType: type ?? 'Other', frameId });
    else pending.delete(requestId);
  });
  session.on('Network.loadingFailed', ({ requestId, errorText, type }) => {
    const failed = pending.get(requestId);
    pending.delete(requestId);
    // A preflight belongs to another request.
    if (failed === undefined || type === 'Preflight' || errorText !== REFUSED) return;
    if (!blocked.wasRefused(failed.host)) return;
    blocked.addReported(failed.host, { requestId, ...failed, keepsPlace: false });
  });
  session.on('Network.loadingFinished', ({ requestId }) => void pending.delete(requestId));
}

function hostOf(url: string): string | undefined {
  const { hostname = '' } = URL.parse(url) ?? {};
  return hostname === '' ? undefined : canonicalHost(hostname);
}

/** Returns the site of a host: its registrable domain. IP addresses and unregistrable names are their own site. */
export type SiteOf = (host: string) => string;

/**
 * Loads the public suffix list: `a.b.example.co.uk` belongs to `example.co.uk`. Private suffixes count, so
 * `one.github.io` and `two.github.io` are different sites. Loaded on first use, because the list is long.
 */
export async function loadSites(): Promise<SiteOf> {
  const { getDomain } = await import('tldts');
  return (host) => getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host;
}

type Fields = Pick<z.output<typeof blockByHost.schema>, 'block_ads' | 'block_trackers'>;

/** True if the filter lists apply to this capture. Lists don't distinguish ads from trackers. */
export function usesLists({ block_ads: ads, block_trackers: trackers }: Fields): boolean {
  return ads || trackers;
}
