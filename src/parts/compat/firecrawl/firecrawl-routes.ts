import type { Request, RequestHandler } from 'express';
import { encodeJson } from '../../../core/capture/answer.ts';
import { validationError } from '../../../core/ground/errors.ts';
import {
  type RouteOptions,
  createCapturing,
  createQueueCheck,
  type ParseRequest,
} from '../../../core/http/routes/capture-route.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { cacheHeaders } from '../../../core/http/routes/send-capture.ts';
import type { Config } from '../../../core/config/settings.ts';
import type { Route } from '../../../core/http/routes/route.ts';
import type { StorageState } from '../../storage/storage.ts';
import { readGiven } from '../convert-options.ts';
import type { CompatState } from '../send-later.ts';
import { createBatchErrorsHandler, createBatchHandler, createReadBatchHandler } from './firecrawl-batch.ts';
import { createCreditsHandler } from './firecrawl-credits.ts';
import { toDocument } from './firecrawl-document.ts';
import { asFirecrawlError, refuseTheirPath } from './firecrawl-errors.ts';
import { createMapHandler } from './firecrawl-map.ts';
import { fieldsOf, GROUPS } from './firecrawl-options.ts';

const SUCCESS = Buffer.from('{"success":true,"data":');
const END = Buffer.from('}');

const isOn: Route<CompatState>['isOn'] = ({ config: { compat } }) => compat.includes('firecrawl');
const maxBytes = ({ maxBodyBytes }: Config): number => maxBodyBytes;

/** The routes of Firecrawl for pages, of both versions of its interface. */
export const FIRECRAWL_ROUTES: readonly Route<CompatState>[] = ['/v1', '/v2'].flatMap(
  (version): Route<CompatState>[] => {
    const common = {
      name: 'firecrawl',
      callers: 'bearer',
      setting: 'COMPAT=firecrawl',
      isOn,
      errorForm: asFirecrawlError,
    } as const;
    const body: Route['body'] = { maxBytes, checks: (options) => [createQueueCheck(options)] };
    const submitted = { ...common, methods: ['POST'], isLimited: true } as const;
    const read = { ...common, isLimited: true, right: 'jobs' } as const; // reading converts up to 10 MB
    const path = `${version}/batch/scrape`;
    return [
      { ...submitted, path: `${version}/scrape`, right: 'capture', body, createHandler: createScrapeHandler },
      {
        ...submitted,
        path: `${version}/map`,
        right: 'capture',
        body,
        createHandler: (options) => createMapHandler(options, version),
      },
      { ...submitted, path, right: 'jobs', body: { maxBytes }, createHandler: createBatchHandler },
      // Clients of version 1 read their batches as crawls.
      ...[path, `${version}/crawl`].flatMap((at): Route<CompatState>[] => [
        { ...read, path: `${at}/:id/errors`, methods: ['GET'], createHandler: createBatchErrorsHandler },
        { ...read, path: `${at}/:id`, methods: ['GET', 'DELETE'], createHandler: createReadBatchHandler },
      ]),
      ...['credit-usage', 'token-usage'].map((name): Route<CompatState> => ({
        ...common,
        path: `${version}/team/${name}`,
        methods: ['GET'],
        createHandler: createCreditsHandler,
      })),
      {
        ...common,
        path: `${version}/*rest`,
        methods: ['GET', 'POST', 'DELETE'],
        createHandler: () => refuseTheirPath,
      },
    ];
  },
);

function createScrapeHandler(options: RouteOptions & StorageState): RequestHandler {
  const { parseFields, resultStorage } = options;
  const parse: ParseRequest = async (request, { key }) => {
    const { fields, parts } = fieldsOf(givenOf(request));
    // A key that may not store gets a data URI.
    const store = resultStorage !== undefined && parts.has('screenshot') && key?.deniedFields.has('store') !== true;
    return await parseFields(store ? { ...fields, store } : fields, { key });
  };
  return createCapturing(options, parse, {
    send: async (request, response, { options: requested, answer, stored }) => {
      const { parts } = fieldsOf(givenOf(request));
      const { 'X-Cache': cache } = cacheHeaders(answer.caching, { nowSeconds: options.now(), signed: undefined });
      contextOf(response).summary.cache = cache;
      const json = await encodeJson(answer, requested.capture.format, stored?.links);
      const document = toDocument(json, parts, requested.capture.url ?? '');
      response.set('Cache-Control', 'no-store').type('json');
      options.sendBody(response, Buffer.concat([SUCCESS, ...document, END]), { isKept: false });
    },
  });
}

function givenOf(request: Request): ReturnType<typeof readGiven> {
  const given = readGiven(request, GROUPS);
  if ((given.get('url')?.[0] ?? '') === '') throw validationError('url: is required');
  return given;
}
