import type { Express } from 'express';
import pino from 'pino';
import type { Capture } from '../../src/core/capture/capture.ts';
import type { CaptureOptions } from '../../src/core/capture/request/options.ts';
import { FIELD_NAMES } from '../../src/core/capture/request/options.ts';
import { createParseFields, type ParseFields } from '../../src/core/capture/request/request-parser.ts';
import { createKeyRing } from '../../src/core/access/key-ring.ts';
import { loadConfig, type ServiceConfig } from './settings.ts';
import { NO_GUESS_LIMIT } from '../../src/core/http/guards/limiter.ts';
import { createApp } from '../../src/core/http/app.ts';
import { type Core, NO_PORTS, type Ports, type Route, withState } from '../../src/core/http/routes/route.ts';
import { createQuotaHeaders } from '../../src/parts/usage/quota-headers.ts';
import { PAGE_FILES } from '../../src/parts/pages/playground-routes.ts';
import { createStoreResult } from '../../src/parts/storage/routes/store-result.ts';
import { type PartsState, ROUTES } from '../../src/list.ts';
import { createMemoryBudget } from '../../src/core/ground/memory-budget.ts';
import type { Metrics } from '../../src/parts/metrics/metrics.ts';
import { createCompare } from '../../src/parts/compare/compare.ts';
import { createDocuments } from '../../src/parts/documents/documents.ts';
import { NO_TEMPLATES } from '../../src/parts/templates/templates.ts';
import { type GivenResult, resultWith } from './stored-capture.ts';

const NO_RESTARTS = { crashed: 0, page_stuck: 0, recycled: 0, unresponsive: 0 };

export const NO_METRICS: Metrics = {
  recordRequest: () => undefined,
  recordComparison: () => undefined,
  recordStorage: () => undefined,
  recordWebhook: () => undefined,
  recordCapture: () => undefined,
  recordJob: () => undefined,
  countJobs: () => undefined,
  recordRun: () => undefined,
  countWatches: () => undefined,
  recordShadow: () => undefined,
  recordUnreadable: () => undefined,
  render: async () => '',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
};

/** The routes of a service with all interfaces. */
export const ALL_ROUTES = ROUTES;

export interface GivenApp
  extends
    Partial<ServiceConfig>,
    Partial<Omit<Core, 'capture' | 'config' | 'limits' | 'parseFields' | 'ports'>>,
    Partial<Ports>,
    Partial<Omit<PartsState, 'config'>> {
  /** Default: all of them. */
  readonly routes?: readonly Route[];
  readonly limits?: Partial<Core['limits']>;
  readonly capture?: Capture;
  /** Default: the parser with `templates`. */
  readonly parseFields?: ParseFields;
  /** Replaces fields of the fixed result. */
  readonly result?: GivenResult;
  readonly onCapture?: (options: CaptureOptions) => void;
}

/** Creates the app with a capture that returns a fixed result, unless given: no browser, limits or authentication. */
export function appWith({ result, onCapture, limits, routes, ...given }: GivenApp = {}): Express {
  const config: ServiceConfig = { ...loadConfig({}), maxBodyBytes: 1_000, ...given };
  const state: PartsState = {
    config,
    cacheUsage: () => ({ entries: 0, bytes: 0 }),
    compare: createCompare({ ...NO_METRICS, budget: createMemoryBudget(Infinity) }),
    documents: createDocuments(),
    deliver: async () => ({ kind: 'delivered' }),
    metrics: NO_METRICS,
    resultStorage: undefined,
    checkStoredLink: undefined,
    templates: NO_TEMPLATES,
    usage: undefined,
    jobs: { missing: 'DATA_DIR: is not set' },
    watches: undefined,
    ...given,
  };
  const core: Omit<Core, 'ports'> = {
    config,
    now: () => 0,
    budgets: { bodies: createMemoryBudget(1e9), answers: createMemoryBudget(1e9) },
    keys: createKeyRing({
      ...config,
      fieldNames: new Set(FIELD_NAMES),
      now: Date.now,
      log: pino({ level: 'silent' }),
    }),
    capture: async (options) => {
      onCapture?.(options);
      return resultWith(result);
    },
    countAsRunning: (work) => work(),
    health: {
      version: '0.0.0',
      browser: () => ({
        state: 'running',
        version: '1',
        captures: 0,
        restarts: 0,
        restartsByReason: NO_RESTARTS,
      }),
      isSandboxed: () => true,
      isResponsive: async () => true,
      pool: () => ({ size: 1, busy: 0, waiting: 0 }),
      isQueueFull: () => false,
      isShuttingDown: () => false,
      areJobsTaken: async () => true,
    },
    log: pino({ level: 'silent' }),
    version: '0.0.0',
    refuseWhenFull: () => undefined,
    checkAddresses: async () => undefined,
    parseFields: createParseFields(state.templates.expand, {
      ...config,
      canStore: state.resultStorage !== undefined,
    }),
    ...given,
    limits: {
      capture: (_request, _response, next) => next(),
      signed: (_request, _response, next) => next(),
      guesses: NO_GUESS_LIMIT,
      ...limits,
    },
  };
  const ports: Ports = {
    ...NO_PORTS,
    recordRequest: state.metrics.recordRequest,
    keyHeaders: createQuotaHeaders(state),
    recount: async (outcome, key, answer) => await state.usage?.countAs(outcome, key, answer),
    storeResult: state.resultStorage && createStoreResult(state.resultStorage, core),
    pageFiles: config.playground ? PAGE_FILES : {},
    ...given,
  };
  return createApp({ ...core, ports }, routes ?? withState(ROUTES, state));
}
