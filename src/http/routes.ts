import { withFiles, withFilesOfJob } from './request/read-multipart.ts';
import { CAPTURE_OPERATIONS, captureRequestSchema } from './routes/capture-operations.ts';
import { captureDataSchema } from './routes/capture-data-schema.ts';
import { createCaptureBodyChecks, createCaptureHandler } from './routes/capture-route.ts';
import {
  answerLive,
  createHealth,
  createMetricsHandler,
  createReady,
  HEALTH_OPERATION,
  LIVE_OPERATION,
  READY_OPERATION,
} from './routes/health-route.ts';
import {
  BATCH_OPERATION,
  CANCEL_OPERATION,
  JOB_OPERATION,
  jobSchemas,
  LIST_OPERATION,
  RESULT_OPERATION,
  SUBMIT_OPERATION,
} from './routes/jobs/job-operations.ts';
import { createResultHandler } from './routes/jobs/job-result-route.ts';
import { createJobHandler, createListHandler } from './routes/jobs/read-jobs-route.ts';
import { createSubmitHandler } from './routes/jobs/submit-jobs-route.ts';
import { createDevicesHandler, DEVICES_OPERATION, deviceSchemas } from './routes/devices-route.ts';
import { createTemplatesHandler, TEMPLATES_OPERATION, templateSchemas } from './routes/templates-route.ts';
import { asRpcError, createMcpBodyChecks, createMcpRoute } from './routes/mcp/mcp-route.ts';
import { createUsagePage, PAGES } from './routes/playground-routes.ts';
import type { Route } from './routes/route.ts';
import { COMPARE_OPERATION, compareSchemas } from './routes/compare/compare-operation.ts';
import { createCompareHandler } from './routes/compare/compare-route.ts';
import { createStoredHandler } from './routes/stored-route.ts';
import { createUsageHandler, USAGE_OPERATION } from './routes/usage-route.ts';
import { createSignHandler, SIGN_OPERATION, signSchemas } from './routes/sign-route.ts';

const MAX_SIGN_BYTES = 262_144; // a link holds less than a quarter of this size

/**
 * The routes of the service itself, one row each. The app, the metrics, the cross-site check and OpenAPI are derived
 * from it. `createApp` gets it together with the routes of other interfaces.
 */
export const ROUTES: readonly Route[] = [
  {
    path: '/capture',
    methods: ['GET', 'POST'], // HEAD would run a whole capture
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
  },
  {
    path: '/compare',
    methods: ['POST'],
    name: 'compare',
    callers: 'bearer',
    right: 'capture',
    isLimited: true,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes },
    createHandler: createCompareHandler,
    operations: { post: COMPARE_OPERATION },
    schemas: compareSchemas,
  },
  {
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
  },
  {
    path: '/templates',
    methods: ['GET', 'HEAD'],
    name: 'templates',
    callers: 'bearer',
    right: 'capture',
    createHandler: createTemplatesHandler,
    operations: { get: TEMPLATES_OPERATION },
    schemas: templateSchemas,
  },
  {
    path: '/devices',
    methods: ['GET', 'HEAD'],
    name: 'devices',
    callers: 'bearer',
    right: 'capture',
    createHandler: createDevicesHandler,
    operations: { get: DEVICES_OPERATION },
    schemas: deviceSchemas,
  },
  {
    path: '/mcp',
    methods: ['POST'], // GET and DELETE are for streams and sessions, which we don't have
    name: 'mcp',
    callers: 'bearer',
    right: 'mcp',
    // Small messages that are no tool calls are as cheap as /openapi.json. All others are counted by the handler,
    // against the rate limit of captures.
    isOn: ({ mcp }) => mcp,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, checks: createMcpBodyChecks },
    errorForm: asRpcError,
    createHandler: createMcpRoute,
  },
  {
    path: '/stored/*path',
    methods: ['GET', 'HEAD'],
    name: 'stored',
    callers: 'link to a file',
    createHandler: createStoredHandler,
  },
  {
    path: '/jobs',
    methods: ['GET', 'POST'],
    name: 'jobs',
    callers: 'bearer',
    right: 'jobs',
    isLimited: true,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes, placeFiles: withFilesOfJob },
    createHandler: (options) => {
      const [list, submit] = [createListHandler(options), createSubmitHandler('one', options)];
      return (request, response, next) => (request.method === 'GET' ? list : submit)(request, response, next);
    },
    operations: { get: LIST_OPERATION, post: SUBMIT_OPERATION },
    schemas: jobSchemas,
  },
  {
    path: '/jobs/batch',
    methods: ['POST'],
    name: 'jobs_batch',
    callers: 'bearer',
    right: 'jobs',
    isLimited: true,
    body: { maxBytes: ({ maxBodyBytes }) => maxBodyBytes },
    createHandler: (options) => createSubmitHandler('batch', options),
    operations: { post: BATCH_OPERATION },
  },
  {
    path: '/jobs/:id',
    methods: ['GET', 'HEAD', 'DELETE'],
    name: 'job',
    callers: 'bearer',
    right: 'jobs',
    createHandler: createJobHandler,
    operations: { get: JOB_OPERATION, delete: CANCEL_OPERATION },
  },
  {
    path: '/jobs/:id/result',
    methods: ['GET'],
    name: 'job_result',
    callers: 'bearer',
    right: 'jobs',
    createHandler: createResultHandler,
    operations: { get: RESULT_OPERATION },
  },
  {
    path: '/usage',
    methods: ['GET'],
    name: 'usage',
    callers: 'bearer',
    right: 'usage',
    isLimited: true,
    createPage: createUsagePage,
    createHandler: createUsageHandler,
    operations: { get: USAGE_OPERATION },
  },
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
  {
    path: '/metrics',
    methods: ['GET', 'HEAD'],
    name: 'metrics',
    // Metrics reveal the captures of all clients, so they need AUTH_TOKEN if authentication is on.
    callers: 'bearer',
    right: 'default key',
    isOn: ({ metricsPort }) => metricsPort === undefined,
    createHandler: ({ metrics }) => createMetricsHandler(metrics),
  },
  ...PAGES,
];

/**
 * Returns a function that finds the name of a path in the metrics: `other` for routes without a name and for unknown
 * paths.
 */
export function createRouteNames(routes: readonly Route[]): (path: string) => string {
  const names = new Map(routes.map(({ path, name }) => [path, name]));
  const patterns = routes
    .filter(({ path }) => /[*:]/.test(path))
    .map(({ path, name }) => ({
      pattern: new RegExp(`^${path.replaceAll(/\*\w+/g, '.+').replaceAll(/:\w+/g, '[^/]+')}$`),
      name,
    }));
  return (path) => names.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.name ?? 'other';
}
