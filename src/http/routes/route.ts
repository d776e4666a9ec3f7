import type { RequestHandler } from 'express';
import type { Capture } from '../../capture/capture.ts';
import type { ParseLimits } from '../../capture/request/parse-options.ts';
import type { SensitiveField } from '../../capture/request/sensitive-fields.ts';
import type { Logger } from '../../log.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { HealthSource } from './health.ts';
import type { JsonSchema, Operation } from './operation.ts';

/** What the app has to know of a path: all that stands before its handler, and all that is told of it, is made of this. */
export interface Route {
  readonly path: string;
  /** HEAD beside GET only where that costs little: it runs the same handler. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[];
  /** In the metrics; those without one are counted together. */
  readonly name?: string;
  /** A link is a signed query. Its holder may have what was signed, and nothing else. */
  readonly callers: 'anyone' | 'bearer' | 'bearer or link';
  /** Draws from the bucket of captures, or of links where one was shown. */
  readonly isLimited?: true;
  /** Answered under any name of the service, as it tells nothing: probes come under all of them. */
  readonly answersToAnyHost?: true;
  /** A whole page that a link of another site may lead to. Nobody else can read or frame it. */
  readonly isPage?: true;
  /** Another path for GET and HEAD alone. */
  readonly alsoAt?: string;
  /** Whether these settings want it; without it they always do. */
  readonly isOn?: (options: AppOptions) => boolean;
  /** The JSON that it takes. */
  readonly body?: {
    readonly maxBytes: (options: AppOptions) => number;
    /** What a body is refused for by the headers alone, before it is read. */
    readonly checks?: (options: AppOptions) => readonly RequestHandler[];
  };
  readonly createHandler: (options: HandlerOptions) => RequestHandler;
  /** What OpenAPI says of it; without any it is no part of the API. */
  readonly operations?: Readonly<Partial<Record<'get' | 'post', Operation>>>;
  /** Schemas that the operations refer to by name. */
  readonly schemas?: (limits: ParseLimits) => Readonly<Record<string, JsonSchema>>;
}

export interface AppOptions {
  readonly capture: Capture;
  readonly health: HealthSource;
  readonly metrics: Metrics;
  /** Undefined: /metrics is one of the routes here. */
  readonly metricsPort: number | undefined;
  /** The limiter of each route class. */
  readonly limits: Readonly<Record<'capture' | 'signed', RequestHandler>>;
  readonly log: Logger;
  /** Of the service. */
  readonly version: string;
  /** Unix seconds. */
  readonly now: () => number;
  readonly authToken: string | undefined;
  readonly urlSigningSecret: string | undefined;
  readonly trustProxy: false | number | string[];
  readonly corsOrigins: readonly string[];
  /** The listen address. */
  readonly host: string;
  /** Names by which the service may be addressed. */
  readonly allowedHosts: readonly string[];
  readonly maxBodyBytes: number;
  /** Of bodies, until their requests are answered; of answers, until they are read. */
  readonly budgets: Readonly<Record<'bodies' | 'answers', MemoryBudget>>;
  /** @throws ServiceError OverloadedError when no more captures may wait. */
  readonly refuseWhenFull: () => void;
  readonly maxWaitMs: number;
  /** For a whole request, in milliseconds. */
  readonly captureTimeoutMs: number;
  /** Largest picture, in device pixels. */
  readonly maxPixels: number;
  /** Refuses an address that is known to be out of bounds by itself. @throws ServiceError DestinationNotAllowedError */
  readonly checkAddress: (url: string) => Promise<void>;
  /** The `cache_ttl` of a request that has none, in seconds. */
  readonly cacheTtl: number;
  /** True: / has the playground, /docs the reference. */
  readonly playground: boolean;
  /** Fields with secrets or code that a signed URL may hold. */
  readonly signedUrlAllow: readonly SensitiveField[];
}

interface HandlerOptions extends AppOptions {
  /** The API as OpenAPI has it. */
  readonly openApi: object;
}
