import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { Config } from '../../config/settings.ts';
import { ServiceError } from '../../ground/errors.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import type { Route } from '../routes/route.ts';

/** Without a token, anyone who can reach the service can use it, so web pages in their browsers must be blocked. */
interface CrossSiteOptions extends Pick<Config, 'host' | 'allowedHosts' | 'corsOrigins'> {
  readonly keys: Pick<KeyRing, 'isRequired'>;
  /** All routes of the app. */
  readonly routes: readonly Route[];
}

/**
 * Returns a function that finds the paths to which other sites may link: pages, and stored files, whose signed links
 * people open from mail or chat.
 */
function createLinkedPaths(routes: readonly Route[]): (path: string) => boolean {
  const pages = new RegExp(
    `^(?:${routes
      .filter(({ isPage, createPage }) => isPage === true || createPage !== undefined)
      .map(({ path }) => path.replaceAll(/:\w+/g, '[^/]+'))
      .join('|')})$`,
  );
  const files = routes
    .filter(({ callers }) => callers === 'link to a file')
    .map(({ path }) => path.slice(0, path.indexOf('*')));
  return (path) => pages.test(path) || files.some((start) => path.startsWith(start));
}

/**
 * Refuses requests that a browser sends for a page of another origin. Without a token, being able to connect is the
 * permission, and any page in a browser of this network could use it: by a picture, a form, a script, or a name that
 * resolves to our address (DNS rebinding), with which it could even read the answer.
 */
export function createCrossSiteCheck({
  keys,
  routes,
  host,
  allowedHosts,
  corsOrigins,
}: CrossSiteOptions): RequestHandler {
  const probes = new Set(routes.filter(({ answersToAnyHost }) => answersToAnyHost).map(({ path }) => path));
  const isLinked = createLinkedPaths(routes);
  const refuseUnknownHost = createHostCheck({ host, allowedHosts });
  const checksHost = !keys.isRequired || allowedHosts.length > 0;

  return (request, _response, next) => {
    if (checksHost && !probes.has(request.path)) refuseUnknownHost(request);
    // A preflight request starts nothing. Its answer contains no permission.
    if (!keys.isRequired && request.method !== 'OPTIONS') refuseForeign(request, corsOrigins, isLinked);
    next();
  };
}

/**
 * Refuses a request that a browser sends for a page of another origin.
 * @throws ServiceError CrossSiteRequestError
 */
export function refuseForeign(
  request: Request,
  corsOrigins: readonly string[],
  isLinked: (path: string) => boolean = () => false,
): void {
  if (!isForeign(request, corsOrigins, isLinked)) return;
  throw new ServiceError('CrossSiteRequestError', undefined, { details: 'CORS_ORIGINS lists the allowed origins' });
}

function isForeign(request: Request, corsOrigins: readonly string[], isLinked: (path: string) => boolean): boolean {
  const origin = request.get('Origin');
  if (origin !== undefined && corsOrigins.includes(origin)) return false;
  const site = request.get('Sec-Fetch-Site');
  if (site === 'cross-site' || site === 'same-site') return !isLinked(request.path) || !isVisit(request);
  return origin !== undefined && site !== 'same-origin' && !isOwnOrigin(origin, request);
}

/**
 * Creates the check of the Host header. Any page can have a name that resolves to our address (DNS rebinding), and read
 * the answers. Addresses and names without a dot are safe, because no page has such a name.
 * @returns function that throws a CrossSiteRequestError for a name that ALLOWED_HOSTS does not list
 */
export function createHostCheck({ host, allowedHosts }: Pick<Config, 'host' | 'allowedHosts'>) {
  const names = new Set([...allowedHosts, ...(isLocalAlias(host) ? [] : [host.toLowerCase()])]);
  const isKnown = (name: string): boolean =>
    names.has(name) || (!isLocalAlias(name) && (isIP(name) !== 0 || !name.includes('.')));

  return ({ headers }: Request): void => {
    if (headers.host === undefined) return; // browsers always send one
    const name = hostNameOf(headers.host);
    if (name !== undefined && isKnown(name)) return;
    throw new ServiceError('CrossSiteRequestError', 'This host name of the service is not allowed', {
      details: 'Host: ALLOWED_HOSTS lists the allowed host names',
    });
  };
}

/**
 * True for an address that reaches this machine although browsers do not treat it as local (0.0.0.0, ::,
 * ::ffff:127.0.0.1). They send no `Sec-Fetch-Site` there, so a picture of a foreign page could start captures.
 */
function isLocalAlias(name: string): boolean {
  return isIP(name) !== 0 && (/^0+(?:\.|$)/.test(name) || /^[0:]*$/.test(name) || /^[0:]*:ffff:/.test(name));
}

/** True if a user followed a link. */
function isVisit(request: Request): boolean {
  return (
    request.method === 'GET' &&
    request.get('Sec-Fetch-Mode') === 'navigate' &&
    request.get('Sec-Fetch-Dest') === 'document'
  );
}

/**
 * Compares host names only, because a proxy that terminates TLS changes the scheme. The origin `null` never matches.
 */
function isOwnOrigin(origin: string, request: Request): boolean {
  const own = URL.parse(origin)?.host;
  return own !== undefined && (own === request.headers.host?.toLowerCase() || own === request.host);
}

/** Host in lower case, without port, brackets and trailing dot. Undefined if it is invalid. */
function hostNameOf(header: string): string | undefined {
  const [, v6, name] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d*)?$/i.exec(header) ?? [];
  return (v6 ?? name?.replace(/(?<=.)\.$/, ''))?.toLowerCase();
}
