import express, { type Express, type RequestHandler } from 'express';
import { createAuthenticate, createBearerOnly, createRecognizeBearer } from './guards/authenticate.ts';
import { createCors } from './guards/cors.ts';
import { createCrossSiteCheck } from './guards/cross-site.ts';
import { createRightCheck } from './request/rights.ts';
import { errorHandler, notFound, onlyMethods, refuseWebSockets } from './answers/error-handler.ts';
import { createSendBody } from './answers/send-body.ts';
import { createOpenApi } from './openapi/document.ts';
import { createBodyCheck, createReadBody } from './request/read-body.ts';
import { contextOf, createRequestContext } from './request/request-context.ts';
import { createRouteFinder } from './routes.ts';
import type { Core, Route } from './routes/route.ts';

/**
 * Creates the app with all routes in order. Authentication, rate limit, header checks and queue checks come before the
 * body, so that unauthenticated clients can't make the service read or parse.
 */
export function createApp(core: Core, routes: readonly Route[]): Express {
  const { config, keys, log, ports, tracer } = core;
  const app = createExpress();
  app.set('trust proxy', config.trustProxy);
  const routeOf = createRouteFinder(routes);

  app.use(
    createRequestContext(
      log,
      (request, path) => {
        ports.recordRequest({ ...request, route: routeOf(path)?.name ?? 'other' });
      },
      tracer,
    ),
  );
  app.use(refuseWebSockets);
  const on = routes.filter(({ isOn }) => isOn?.(core) ?? true);
  app.use(createCors(config, on));
  app.use(createCrossSiteCheck({ ...config, keys, routes }));

  const middlewareOf = createMiddlewareOf(core, routes);
  const recognize = createRecognition(core);
  for (const route of on) {
    const middleware = middlewareOf(route);
    const page = route.createPage?.(core);
    if (page !== undefined) app.get(route.path, forBrowsers(page));
    if (route.errorForm !== undefined) app.all(route.path, setErrorForm(route.errorForm));
    const allowed: readonly string[] = route.methods;
    for (const check of recognize) app.all(route.path, unlessMethod(allowed, check));
    app.all(route.path, onlyMethods(route.methods), ...middleware);
    if (route.alsoAt !== undefined) app.get(route.alsoAt, ...middleware);
  }
  for (const [path, files] of Object.entries(ports.pageFiles)) app.use(path, files);

  const offRouteOf = createRouteFinder(routes.filter((route) => !on.includes(route)));
  app.use(
    ...recognize,
    notFound((path) => offRouteOf(path)?.setting),
  );
  app.use(errorHandler);
  return app;
}

/** Middleware of answers that need no key. If the client sends one, they get its headers. */
function createRecognition({ keys, limits, ports: { keyHeaders } }: Core): readonly RequestHandler[] {
  return keyHeaders.length === 0 ? [] : [createRecognizeBearer(keys, limits.guesses), ...keyHeaders];
}

/** Runs the check only for methods that a route does not have. */
function unlessMethod(methods: readonly string[], check: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    if (methods.includes(request.method)) next();
    else await check(request, response, next);
  };
}

function setErrorForm(form: NonNullable<Route['errorForm']>): RequestHandler {
  return (_request, response, next) => {
    response.locals.errorForm = form;
    next();
  };
}

/** Answers with a page if the client prefers HTML to JSON. */
function forBrowsers(page: RequestHandler): RequestHandler {
  return (request, response, next) => {
    response.vary('Accept');
    if (request.accepts(['json', 'html']) === 'html') void page(request, response, next);
    else next();
  };
}

/** Returns the middleware of a route in order. */
function createMiddlewareOf(core: Core, routes: readonly Route[]): (route: Route) => RequestHandler[] {
  const { budgets, config, keys, limits, now, ports, version } = core;
  const bearerOrLink = createAuthenticate({ keys, now, guesses: limits.guesses });
  const callers = {
    anyone: [],
    bearer: [createBearerOnly(keys, limits.guesses)],
    'bearer or link': [bearerOrLink],
  };
  const checksOf = ({ path, callers: allowed, authenticate }: Route): readonly RequestHandler[] => {
    if (authenticate !== undefined) return [authenticate(core)];
    if (allowed === 'link to a file') throw new Error(`${path} does not check its links`);
    return callers[allowed];
  };
  const limit: RequestHandler = (request, response, next) => {
    limits[contextOf(response).credential === 'link' ? 'signed' : 'capture'](request, response, next);
  };
  const recognize = createRecognition(core);
  const openApi = createOpenApi({ ...config, keys, routes, version, extensions: ports.extensions });
  const sendBody = createSendBody({ budget: budgets.answers });

  return (route) => {
    // Probes are answered even if an address has guessed too often.
    const isOpen = route.callers === 'anyone' && route.answersToAnyHost !== true;
    const middleware = isOpen ? [...recognize] : [...checksOf(route), ...ports.keyHeaders];
    if (route.right !== undefined) middleware.push(createRightCheck(route.right));
    if (route.isLimited) middleware.push(limit);
    if (route.body !== undefined) {
      const rules = { ...route.body, maxBytes: route.body.maxBytes(config) };
      middleware.push(createBodyCheck(rules), ...(route.body.checks?.(core) ?? []));
      middleware.push(createReadBody(rules, budgets.bodies));
    }
    return [...middleware, route.createHandler({ ...core, openApi, sendBody })];
  };
}

/** Creates an Express app with the settings that all our apps share. */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser'); // our own query parser is strict: see `request-context.ts`
  app.enable('strict routing');
  app.enable('case sensitive routing');
  return app;
}
