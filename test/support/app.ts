import type { Express } from 'express';
import pino from 'pino';
import type { Capture } from '../../src/capture/capture.ts';
import type { CaptureOptions } from '../../src/capture/request/options.ts';
import { FIELD_NAMES } from '../../src/capture/request/options.ts';
import { createParseFields, type ParseFields } from '../../src/capture/request/request-parser.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { loadConfig } from '../../src/config/load.ts';
import { NO_GUESS_LIMIT } from '../../src/http/guards/limiter.ts';
import { createApp } from '../../src/http/app.ts';
import type { AppOptions } from '../../src/http/routes/route.ts';
import { type PartsState, portsOf, ROUTES } from '../../src/list.ts';
import { createMemoryBudget } from '../../src/memory-budget.ts';
import type { Metrics } from '../../src/metrics/metrics.ts';
import { createCompare } from '../../src/compare/compare.ts';
import { NO_TEMPLATES } from '../../src/templates/templates.ts';
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
  recordUnreadable: () => undefined,
  render: async () => '',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
};

/** The routes of a service with all interfaces. */
export const ALL_ROUTES = ROUTES;

export interface GivenApp extends Partial<Omit<AppOptions, 'capture' | 'limits' | 'parseFields'>>, Partial<PartsState> {
  readonly limits?: Partial<AppOptions['limits']>;
  readonly capture?: Capture;
  /** Default: the parser with `templates`. */
  readonly parseFields?: ParseFields;
  /** Replaces fields of the fixed result. */
  readonly result?: GivenResult;
  readonly onCapture?: (options: CaptureOptions) => void;
}

/** Creates the app with a capture that returns a fixed result, unless given: no browser, limits or authentication. */
export function appWith({ result, onCapture, limits, ...given }: GivenApp = {}): Express {
  const config = { ...loadConfig({}), ...given };
  const log = pino({ level: 'silent' });
  const state: PartsState = {
    compare: createCompare({ ...NO_METRICS, budget: createMemoryBudget(Infinity) }),
    deliver: async () => ({ kind: 'delivered' }),
    metrics: NO_METRICS,
    resultStorage: undefined,
    checkStoredLink: undefined,
    templates: NO_TEMPLATES,
    usage: undefined,
    jobs: { missing: 'DATA_DIR: is not set' },
    ...given,
  };
  const core = {
    now: () => 0,
    budgets: { bodies: createMemoryBudget(1e9), answers: createMemoryBudget(1e9) },
    ...given,
  };
  return createApp({
    ...config,
    ...portsOf(state, core),
    ...core,
    keys: createKeyRing({ ...config, fieldNames: new Set(FIELD_NAMES), now: Date.now, log }),
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
    limits: {
      capture: (_request, _response, next) => next(),
      signed: (_request, _response, next) => next(),
      guesses: NO_GUESS_LIMIT,
      ...limits,
    },
    log,
    version: '0.0.0',
    maxBodyBytes: 1_000,
    refuseWhenFull: () => undefined,
    checkAddresses: async () => undefined,
    parseFields: createParseFields((given.templates ?? NO_TEMPLATES).expand, {
      ...config,
      canStore: given.resultStorage !== undefined,
    }),
    ...given,
  });
}
