import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { Config } from '../../config/settings.ts';
import { ServiceError } from '../../errors.ts';
import { ROUTES } from '../routes.ts';

/** Without a token whoever can reach the service may use it, and so could every page in a browser that can. */
type CrossSiteOptions = Pick<Config, 'authToken' | 'host' | 'allowedHosts' | 'corsOrigins'>;

const PROBES: ReadonlySet<string> = new Set(
  ROUTES.filter(({ answersToAnyHost }) => answersToAnyHost).map(({ path }) => path),
);
const PAGES: ReadonlySet<string> = new Set(ROUTES.filter(({ isPage }) => isPage).map(({ path }) => path));
/** Files that nobody gets without a link of their own: it is made to be sent to people, whose mail or chat is another site. */
const LINKED = ROUTES.filter(({ callers }) => callers === 'link to a file').map(({ path }) =>
  path.slice(0, path.indexOf('*')),
);

/**
 * Keeps out what a browser sends for a page that is not ours. Without a token, being able to connect is the permission, and every
 * page that is open in a browser on this machine or in this network can do that: with a picture, a form or a script, or under
 * a name of its own that it has pointed at our address (DNS rebinding), where it would even read the answer.
 */
export function createCrossSiteCheck({
  authToken,
  host,
  allowedHosts,
  corsOrigins,
}: CrossSiteOptions): RequestHandler {
  const names = new Set([...allowedHosts, host.toLowerCase()]);
  const origins = new Set(corsOrigins);
  const checksHost = authToken === undefined || allowedHosts.length > 0;

  const isKnownHost = (header: string): boolean => {
    const name = hostNameOf(header);
    return name !== undefined && (isIP(name) !== 0 || !name.includes('.') || names.has(name));
  };
  const isForeign = (request: Request): boolean => {
    const origin = request.get('Origin');
    if (origin !== undefined && origins.has(origin)) return false;
    const site = request.get('Sec-Fetch-Site');
    if (site === 'cross-site' || site === 'same-site') return !isVisit(request);
    return origin !== undefined && site !== 'same-origin' && !isOwnOrigin(origin, request);
  };

  return (request, _response, next) => {
    const { host: header } = request.headers;
    // Without a Host header it is no browser.
    if (checksHost && header !== undefined && !PROBES.has(request.path) && !isKnownHost(header)) {
      throw new ServiceError('CrossSiteRequestError', 'The service is not known by this name', {
        details: 'Host: ALLOWED_HOSTS names those by which it may be addressed',
      });
    }
    // A preflight starts nothing, and is answered by what it gets no permission from.
    if (authToken === undefined && request.method !== 'OPTIONS' && isForeign(request)) {
      throw new ServiceError('CrossSiteRequestError', undefined, {
        details: 'CORS_ORIGINS names the origins whose pages may call it',
      });
    }
    next();
  };
}

/** Somebody has followed a link to one of our pages, or to a stored file. */
function isVisit(request: Request): boolean {
  return (
    request.method === 'GET' &&
    (PAGES.has(request.path) || LINKED.some((start) => request.path.startsWith(start))) &&
    request.get('Sec-Fetch-Mode') === 'navigate' &&
    request.get('Sec-Fetch-Dest') === 'document'
  );
}

/** By the name alone: behind a proxy that ends TLS the scheme is another. `null` is the origin of nobody. */
function isOwnOrigin(origin: string, request: Request): boolean {
  const own = URL.parse(origin)?.host;
  return own !== undefined && (own === request.headers.host?.toLowerCase() || own === request.host);
}

/** Lower case, without port, brackets and the dot at the end; undefined for what is no host. */
function hostNameOf(header: string): string | undefined {
  const [, v6, name] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d*)?$/i.exec(header) ?? [];
  return (v6 ?? name?.replace(/(?<=.)\.$/, ''))?.toLowerCase();
}
