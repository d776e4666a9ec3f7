import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Capture, CaptureAnswer } from '../../capture/capture.ts';
import type { RequestedAddresses } from '../../capture/check-destination.ts';
import type { ParseFields } from '../../capture/request/request-parser.ts';
import type { ParseLimits } from '../../capture/request/parse-options.ts';
import type { Key } from '../../access/key.ts';
import type { Config } from '../../config/settings.ts';
import type { Logger } from '../../ground/log.ts';
import type { MemoryBudget } from '../../ground/memory-budget.ts';
import type { Tracer } from '../../ground/tracer.ts';
import type { ErrorForm } from '../answers/error-handler.ts';
import type { SendBody } from '../answers/send-body.ts';
import type { FinishedRequest } from '../../ground/finished-request.ts';
import type { BodyRules } from '../request/read-body.ts';
import type { Right } from '../request/rights.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import type { HealthSource } from './health-route.ts';
import type { JsonSchema, Operation } from './operation.ts';
import type { StoreResult } from './stored-result.ts';

/** Limits guesses of credentials by client address. */
export interface GuessLimit {
  /**
   * Refuses a request before its credentials are compared, if its address has sent too many wrong ones. The answer is
   * delayed.
   * @throws ServiceError RateLimitError
   */
  readonly check: (request: Request, response: Response) => Promise<void>;
  /** Counts a wrong credential, also against the captures of the address, then passes on the error. */
  readonly count: (request: Request, response: Response, next: NextFunction, error: unknown) => void;
}

/**
 * The description of a path. Checks before the handler, OpenAPI and metrics are derived from it. `State` is what its
 * handler needs besides the core: see `withState`.
 */
export interface Route<State = unknown> {
  /** Express syntax: `:id` matches any segment. */
  readonly path: string;
  /** HEAD is only allowed where it is cheap, because it runs the handler of GET. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE')[];
  /** Name in the metrics. Routes without a name are counted together. */
  readonly name?: string;
  /** Replaces the check of `callers`, for clients that send their credentials in another way. */
  readonly authenticate?: (options: Core & State) => RequestHandler;
  /**
   * Required credentials. A link is a signed query: its holder gets exactly what was signed. A link to a file allows
   * that file.
   */
  readonly callers: 'anyone' | 'bearer' | 'bearer or link' | 'link to a file';
  /** Right that a key needs. Default: none. */
  readonly right?: Right;
  /** Counts against the rate limit of captures, or of links for signed requests. */
  readonly isLimited?: true;
  /** Answers under any host name, because the answer reveals nothing. Probes use all kinds of names. */
  readonly answersToAnyHost?: true;
  /** An HTML page that other sites may link to, but not read or frame. */
  readonly isPage?: true;
  /** An HTML page at the same path, for browsers, without credentials. Undefined: there is none. */
  readonly createPage?: (options: Core & State) => RequestHandler | undefined;
  /** Second path of the route, for GET and HEAD only. */
  readonly alsoAt?: string;
  /** The setting that switches the route on, such as `MCP=true`, for the error of its path. */
  readonly setting?: string;
  /** True if the settings enable the route. Default: always. */
  readonly isOn?: (options: Pick<Core, 'config'> & State) => boolean;
  /** Headers of requests that pages of `CORS_ORIGINS` may send, besides those of all routes. */
  readonly requestHeaders?: readonly string[];
  /** Limits of the JSON body, and how the files of a multipart body are handled. */
  readonly body?: Pick<BodyRules, 'placeFiles' | 'isForm'> & {
    readonly maxBytes: (config: Config) => number;
    /** Checks that refuse a body by the headers, before it is read. */
    readonly checks?: (options: Core) => readonly RequestHandler[];
  };
  /** Converts errors of the route to another form than that of the API. */
  readonly errorForm?: ErrorForm;
  readonly createHandler: (options: HandlerOptions & State) => RequestHandler;
  /** OpenAPI operations of the route. A route without operations is not part of the API. */
  readonly operations?: Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>;
  /** Schemas that the operations reference by name. */
  readonly schemas?: (limits: ParseLimits) => Readonly<Record<string, JsonSchema>>;
}

/** A route without what needs the service. */
export type DescribedRoute = Omit<Route, 'authenticate' | 'createPage' | 'createHandler' | 'isOn'>;

/** What parts can give to the app. The defaults in `NO_PORTS` are those of a service that only captures. */
export interface Ports {
  /** Counts an answered request. */
  readonly recordRequest: (request: FinishedRequest) => void;
  /** Add headers to an answer for a key, once it is known. Empty: the key of a request that needs none is not read. */
  readonly keyHeaders: readonly RequestHandler[];
  /** Corrects the count of a capture that the client did not need, or could not get. */
  readonly recount: (outcome: 'cached' | 'failed', key: Key | undefined, answer: CaptureAnswer) => Promise<void>;
  /** Undefined: results can't be stored. */
  readonly storeResult: StoreResult | undefined;
  /** Returns the stored capture of an equal request, without making one. */
  readonly findCached: (...request: Parameters<Capture>) => Promise<CaptureAnswer | undefined>;
  /** Handlers for files of the pages, by the start of the path. */
  readonly pageFiles: Readonly<Record<string, RequestHandler>>;
  /** Extensions of the OpenAPI document, which say what is on. */
  readonly extensions: Readonly<Record<`x-${string}`, boolean>>;
  /** False while the job store fails. */
  readonly areJobsTaken: () => Promise<boolean>;
}

export const NO_PORTS: Ports = {
  recordRequest: () => undefined,
  keyHeaders: [],
  recount: async () => undefined,
  storeResult: undefined,
  findCached: async () => undefined,
  pageFiles: {},
  extensions: {},
  areJobsTaken: async () => true,
};

/** What the core gives to the handlers of all routes. */
export interface Core {
  readonly config: Config;
  readonly capture: Capture;
  /** Runs work that the shutdown waits for, as it does for captures. */
  readonly countAsRunning: <T>(work: () => Promise<T>) => Promise<T>;
  /** The keys in force. */
  readonly keys: KeyRing;
  readonly health: HealthSource;
  /** Rate limiter of each route class. */
  readonly limits: Readonly<Record<'capture' | 'signed', RequestHandler>> & { readonly guesses: GuessLimit };
  readonly log: Logger;
  /** Version of the service. */
  readonly version: string;
  /** Unix seconds. */
  readonly now: () => number;
  /** Memory budgets: bodies until their requests are answered, answers until they are read. */
  readonly budgets: Readonly<Record<'bodies' | 'answers', MemoryBudget>>;
  /** @throws ServiceError OverloadedError if the queue is full */
  readonly refuseWhenFull: () => void;
  /**
   * Refuses addresses that are forbidden without resolving names.
   * @throws ServiceError DestinationNotAllowedError
   */
  readonly checkAddresses: (requested: RequestedAddresses, key: Key | undefined) => Promise<void>;
  readonly parseFields: ParseFields;
  readonly ports: Ports;
  /** Undefined: requests are not traced. */
  readonly tracer?: Tracer | undefined;
}

export interface HandlerOptions extends Core {
  /** The OpenAPI document. */
  readonly openApi: object;
  /** Shared by all routes, so that slow clients of all routes share one limit. */
  readonly sendBody: SendBody;
}

/** Gives the handlers of routes what they need besides the core. */
export function withState<State>(routes: readonly Route<State>[], state: State): readonly Route[] {
  return routes.map(({ authenticate, isOn, createPage, createHandler, ...route }) => ({
    ...route,
    ...(isOn && { isOn: (options) => isOn({ ...options, ...state }) }),
    ...(createPage && { createPage: (options) => createPage({ ...options, ...state }) }),
    ...(authenticate && { authenticate: (options) => authenticate({ ...options, ...state }) }),
    createHandler: (options) => createHandler({ ...options, ...state }),
  }));
}
