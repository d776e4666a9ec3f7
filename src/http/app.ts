import type { Express, RequestHandler, Router } from 'express';
import type { Capture } from '../capture/capture.ts';
import type { SensitiveField } from '../capture/request/sensitive-fields.ts';
import type { Logger } from '../log.ts';
import type { MemoryBudget } from '../memory-budget.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createAuthenticate, createBearerOnly } from './authenticate.ts';
import { createCaptureController } from './capture-controller.ts';
import { createCors } from './cors.ts';
import { createCrossSiteCheck } from './cross-site.ts';
import { errorHandler, methodNotAllowed, notFound } from './error-handler.ts';
import { createExpress } from './express.ts';
import { createMetricsRoute } from './metrics-route.ts';
import { createOpenApi } from './openapi/document.ts';
import { createPlaygroundRoute } from './playground-route.ts';
import { refuseSecondSource } from './parse-request.ts';
import { createBodyCheck, createReadBody, hasBody } from './read-body.ts';
import { createRequestContext } from './request-context.ts';
import { createSendBody } from './send-body.ts';
import { createSignRoute } from './sign-route.ts';

const MAX_SIGN_BYTES = 262_144; // a link holds less than a quarter of it

export interface AppOptions {
  readonly capture: Capture;
  readonly health: Router;
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

/** Every route, in order. Authentication, limit, headers and room come before the body: strangers can't make us read, nor parse. */
export function createApp(options: AppOptions): Express {
  const app = createExpress();
  app.set('trust proxy', options.trustProxy);

  app.use(createRequestContext(options.log, options.metrics.recordRequest));
  app.use(createCors(options.corsOrigins));
  app.use(createCrossSiteCheck(options));

  const { bodies, answers } = options.budgets;
  const captureStair: RequestHandler[] = [
    createAuthenticate({ ...options, limitGuesses: options.limits.capture }),
    (request, response, next) => {
      const signed = response.locals['routeClass'] === 'signed';
      options.limits[signed ? 'signed' : 'capture'](request, response, next);
    },
    createBodyCheck(options.maxBodyBytes),
    refuseSecondSource,
    (request, _response, next) => {
      if (hasBody(request.headers)) options.refuseWhenFull();
      next();
    },
    createReadBody(options.maxBodyBytes, bodies),
    createCaptureController(options.capture, { ...options, sendBody: createSendBody({ budget: answers }) }),
  ];
  // HEAD would otherwise run the GET handlers: a whole capture for no body.
  app.head('/capture', methodNotAllowed(['GET', 'POST']));
  app.get('/capture', ...captureStair);
  app.post('/capture', ...captureStair);
  app.all('/capture', methodNotAllowed(['GET', 'POST']));

  const maxSignBytes = Math.min(options.maxBodyBytes, MAX_SIGN_BYTES);
  const bearerOnly = createBearerOnly(options.authToken, options.limits.capture);
  app.post(
    '/sign',
    bearerOnly,
    options.limits.capture,
    createBodyCheck(maxSignBytes),
    createReadBody(maxSignBytes, bodies),
    createSignRoute(options),
  );
  app.all('/sign', methodNotAllowed(['POST']));

  app.all(['/health', '/health/live', '/health/ready', '/openapi.json'], readOnly);
  app.use('/health', options.health);
  const openApi = createOpenApi(options);
  app.get('/openapi.json', (_request, response) => {
    response.json(openApi);
  });
  if (options.metricsPort === undefined) {
    app.all('/metrics', readOnly);
    // They tell how much is captured and how well: where there is a token, only to who has it.
    app.get('/metrics', bearerOnly, createMetricsRoute(options.metrics));
  }

  if (options.playground) {
    app.all(['/', '/docs'], readOnly);
    app.use(createPlaygroundRoute());
  }

  app.use(notFound());
  app.use(errorHandler);
  return app;
}

const readOnly: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else methodNotAllowed(['GET', 'HEAD'])(request, response, next);
};
