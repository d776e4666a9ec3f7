import type { RequestHandler } from 'express';
import type { Capture } from '../../capture/capture.ts';
import type { AskedAddresses } from '../../capture/check-destination.ts';
import type { ParseLimits } from '../../capture/request/parse-options.ts';
import type { NoJobs } from '../../jobs/create-jobs.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Config } from '../../config/settings.ts';
import type { Logger } from '../../log.ts';
import type { MemoryBudget } from '../../memory-budget.ts';
import type { FileLinks } from '../../storage/file-link.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ErrorBody } from '../answers/error-handler.ts';
import type { SendBody } from '../answers/send-body.ts';
import type { HealthSource } from './health.ts';
import type { JsonSchema, Operation } from './operation.ts';

/** What the app has to know of a path: all that stands before its handler, and all that is told of it, is made of this. */
export interface Route {
  /** As Express has it: `:id` stands for any part. */
  readonly path: string;
  /** HEAD beside GET only where that costs little: it runs the same handler. */
  readonly methods: readonly ('GET' | 'HEAD' | 'POST' | 'DELETE')[];
  /** In the metrics; those without one are counted together. */
  readonly name?: string;
  /** A link is a signed query. Its holder may have what was signed, and nothing else; of a link to a file, that file. */
  readonly callers: 'anyone' | 'bearer' | 'bearer or link' | 'link to a file';
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
  /** The form of its errors, where that is another one than that of the API. */
  readonly errorForm?: (body: ErrorBody) => object;
  readonly createHandler: (options: HandlerOptions) => RequestHandler;
  /** What OpenAPI says of it; without any it is no part of the API. */
  readonly operations?: Readonly<Partial<Record<'get' | 'post' | 'delete', Operation>>>;
  /** Schemas that the operations refer to by name. */
  readonly schemas?: (limits: ParseLimits) => Readonly<Record<string, JsonSchema>>;
}

export interface AppOptions extends Config {
  readonly capture: Capture;
  readonly health: HealthSource;
  readonly metrics: Metrics;
  /** The limiter of each route class. */
  readonly limits: Readonly<Record<'capture' | 'signed', RequestHandler>>;
  readonly log: Logger;
  /** Of the service. */
  readonly version: string;
  /** Unix seconds. */
  readonly now: () => number;
  /** Where results are kept; undefined: nowhere. */
  readonly resultStorage: Storage | undefined;
  /** Of links to what is kept here; undefined: they lead elsewhere, or there are none. */
  readonly checkStoredLink: FileLinks['check'] | undefined;
  /** Of bodies, until their requests are answered; of answers, until they are read. */
  readonly budgets: Readonly<Record<'bodies' | 'answers', MemoryBudget>>;
  /** @throws ServiceError OverloadedError when no more captures may wait. */
  readonly refuseWhenFull: () => void;
  /** Refuses addresses that are known to be out of bounds by themselves. @throws ServiceError DestinationNotAllowedError */
  readonly checkAddresses: (asked: AskedAddresses) => Promise<void>;
  /** Or, for people, which settings are missing for it. */
  readonly jobs: Jobs | Pick<NoJobs, 'missing'>;
}

interface HandlerOptions extends AppOptions {
  /** The API as OpenAPI has it. */
  readonly openApi: object;
  /** One for all routes: slow clients of all of them share a bound. */
  readonly sendBody: SendBody;
}
