import { withFiles } from './request/read-multipart.ts';
import { CAPTURE_OPERATIONS, captureRequestSchema } from './routes/capture-operations.ts';
import { captureDataSchema } from './routes/capture-data-schema.ts';
import { createCaptureBodyChecks, createCaptureHandler } from './routes/capture-route.ts';
import { createDevicesHandler, DEVICES_OPERATION, deviceSchemas } from './routes/devices-route.ts';
import {
  answerLive,
  createHealth,
  createReady,
  HEALTH_OPERATION,
  LIVE_OPERATION,
  READY_OPERATION,
} from './routes/health-route.ts';
import type { Route } from './routes/route.ts';
import { createSignHandler, SIGN_OPERATION, signSchemas } from './routes/sign-route.ts';

const MAX_SIGN_BYTES = 262_144; // a link holds less than a quarter of this size

// The routes of the core, one row each. `list.ts` has all routes of the service, in order. The app, the metrics, the
// cross-site check and OpenAPI are derived from these.

export const CAPTURE_ROUTE: Route = {
  path: '/capture',
  methods: ['GET', 'HEAD', 'POST'],
  name: 'capture',
  callers: 'bearer or link',
  right: 'capture',
  isLimited: true,
  body: {
    maxBytes: ({ maxBodyBytes }) => maxBodyBytes,
    checks: createCaptureBodyChecks,
    placeFiles: withFiles,
  },
  createHandler: createCaptureHandler,
  operations: CAPTURE_OPERATIONS,
  schemas: (limits) => ({ CaptureRequest: captureRequestSchema(limits), CaptureData: captureDataSchema() }),
};

export const SIGN_ROUTE: Route = {
  path: '/sign',
  methods: ['POST'],
  name: 'sign',
  callers: 'bearer',
  right: 'sign',
  isLimited: true,
  body: { maxBytes: ({ maxBodyBytes }) => Math.min(maxBodyBytes, MAX_SIGN_BYTES) },
  createHandler: createSignHandler,
  operations: { post: SIGN_OPERATION },
  schemas: signSchemas,
};

export const DEVICES_ROUTE: Route = {
  path: '/devices',
  methods: ['GET', 'HEAD'],
  name: 'devices',
  callers: 'bearer',
  right: 'capture',
  createHandler: createDevicesHandler,
  operations: { get: DEVICES_OPERATION },
  schemas: deviceSchemas,
};

export const STATE_ROUTES: readonly Route[] = [
  {
    path: '/health/live',
    methods: ['GET', 'HEAD'],
    name: 'health_live',
    callers: 'anyone',
    answersToAnyHost: true,
    createHandler: () => answerLive,
    operations: { get: LIVE_OPERATION },
  },
  {
    path: '/health/ready',
    methods: ['GET', 'HEAD'],
    name: 'health_ready',
    callers: 'anyone',
    answersToAnyHost: true,
    createHandler: ({ health }) => createReady(health),
    operations: { get: READY_OPERATION },
  },
  {
    path: '/health',
    alsoAt: '/health/',
    methods: ['GET', 'HEAD'],
    name: 'health',
    callers: 'anyone',
    createHandler: ({ health }) => createHealth(health),
    operations: { get: HEALTH_OPERATION },
  },
  {
    path: '/openapi.json',
    methods: ['GET', 'HEAD'],
    callers: 'anyone',
    createHandler: ({ openApi }) => {
      // one buffer for all answers, because anyone may request it without a rate limit
      const body = Buffer.from(JSON.stringify(openApi));
      return (_request, response) => void response.type('json').send(body);
    },
  },
];

/** Returns a function that finds the route of a path. */
export function createRouteFinder(routes: readonly Route[]): (path: string) => Route | undefined {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const patterns = routes
    .filter(({ path }) => /[*:]/.test(path))
    .map((route) => ({
      pattern: new RegExp(`^${route.path.replaceAll(/\*\w+/g, '.+').replaceAll(/:\w+/g, '[^/]+')}$`),
      route,
    }));
  return (path) => byPath.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.route;
}
