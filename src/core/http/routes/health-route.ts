import type { RequestHandler } from 'express';
import { daysSince } from '../../browser/find/build-date.ts';
import type { BrowserState } from '../../browser/host/browser-host.ts';
import type { PoolState } from '../../browser/pool/page-pool.ts';
import type { ErrorType } from '../../ground/errors.ts';
import { jsonAnswer, object, type Operation, type OperationAnswer } from './operation.ts';

/** Inputs of the health routes. */
export interface HealthSource {
  readonly version: string;
  readonly browser: () => BrowserState;
  /** Undefined until the first browser has started. */
  readonly isSandboxed: () => boolean | undefined;
  /** A cheap call to the browser with a time limit. */
  readonly isResponsive: () => Promise<boolean>;
  readonly pool: () => PoolState;
  readonly isQueueFull: () => boolean;
  readonly isShuttingDown: () => boolean;
  /** False while the job store fails. True for a service without jobs. */
  readonly areJobsTaken: () => Promise<boolean>;
}

const NOT_READY = ['browser_starting', 'browser_unresponsive', 'queue_full', 'shutting_down'] as const;

/** Liveness: an answer proves that the event loop runs. */
export const answerLive: RequestHandler = (_request, response) => {
  response.json({ status: 'alive' });
};

/**
 * Readiness for captures. A failed job store is named in the answer but does not make the replica unready, because
 * captures don't need it.
 */
export function createReady(source: HealthSource): RequestHandler {
  return async (_request, response) => {
    const [reason, jobs] = await Promise.all([whyNotReady(source), describeJobs(source)]);
    if (reason === undefined) response.json({ status: 'ready', ...jobs });
    else response.status(503).json({ status: 'not_ready', reason, ...jobs });
  };
}

/** Answers with the state of the service. */
export function createHealth(source: HealthSource): RequestHandler {
  return async (_request, response) => {
    const { isHealthy, state } = await describeHealth(source);
    response.status(isHealthy ? 200 : 503).json({ status: isHealthy ? 'healthy' : 'unhealthy', ...state });
  };
}

/** Returns the state of the service, and whether it can capture. */
export async function describeHealth(source: HealthSource) {
  const [reason, jobs] = await Promise.all([whyNotReady(source), describeJobs(source)]);
  const { state, version, userAgent, builtAt, captures, restarts } = source.browser();
  return {
    isHealthy: reason === undefined,
    state: {
      version: source.version,
      timestamp: new Date().toISOString(),
      uptime_seconds: Math.floor(process.uptime()),
      browser: {
        connected: state === 'running',
        version: version ?? null,
        user_agent: userAgent ?? null,
        ...(builtAt !== undefined && {
          build_date: builtAt.toISOString().slice(0, 10),
          age_days: daysSince(builtAt),
        }),
        sandbox: source.isSandboxed() ?? null,
        captures,
        restarts,
      },
      pool: source.pool(),
      memory: { rss_bytes: process.memoryUsage.rss() },
      ...jobs,
    },
  };
}

async function whyNotReady(source: HealthSource): Promise<(typeof NOT_READY)[number] | undefined> {
  if (source.isShuttingDown()) return 'shutting_down';
  if (source.browser().state !== 'running') return 'browser_starting';
  if (!(await source.isResponsive())) return 'browser_unresponsive';
  if (source.isQueueFull()) return 'queue_full';
  return undefined;
}

async function describeJobs({ areJobsTaken }: HealthSource): Promise<{ readonly jobs?: 'unavailable' }> {
  return (await areJobsTaken()) ? {} : { jobs: 'unavailable' };
}

const count = { type: 'integer', minimum: 0 };

const JOBS = {
  jobs: {
    const: 'unavailable',
    description: 'This field is present while the job store fails. Captures are accepted in any case',
  },
};

const HEALTH_SCHEMA = object(
  {
    status: { enum: ['healthy', 'unhealthy'] },
    version: { type: 'string', description: 'Version of the service' },
    timestamp: { type: 'string', format: 'date-time', description: 'UTC' },
    uptime_seconds: count,
    browser: object(
      {
        connected: { type: 'boolean' },
        version: { type: ['string', 'null'] },
        user_agent: { type: ['string', 'null'], description: 'Sent for requests without `user_agent` or `device`' },
        build_date: { type: 'string', format: 'date', description: 'Absent if it is not known' },
        age_days: count,
        sandbox: {
          type: ['boolean', 'null'],
          description: 'True if the browser has its sandbox; null until the first browser has started',
        },
        captures: count,
        restarts: count,
      },
      ['build_date', 'age_days'],
    ),
    pool: object({ size: count, busy: count, waiting: count }),
    memory: object({ rss_bytes: count }),
    ...JOBS,
  },
  ['jobs'],
);

const ERRORS: readonly ErrorType[] = ['CrossSiteRequestError', 'MethodNotAllowedError'];

export const LIVE_OPERATION = probe('live', 'Liveness of the process', {
  200: jsonAnswer('The process answers', object({ status: { const: 'alive' } })),
});

export const READY_OPERATION = probe('ready', 'Readiness for captures', {
  200: jsonAnswer('Captures are accepted', object({ status: { const: 'ready' }, ...JOBS }, ['jobs'])),
  503: jsonAnswer(
    'Captures are refused',
    object({ status: { const: 'not_ready' }, reason: { enum: NOT_READY }, ...JOBS }, ['jobs']),
  ),
});

export const HEALTH_OPERATION = probe('health', 'State of the service', {
  200: jsonAnswer('The service is healthy', HEALTH_SCHEMA),
  503: jsonAnswer('The service is not healthy', HEALTH_SCHEMA),
});

function probe(operationId: string, summary: string, answers: Readonly<Record<number, OperationAnswer>>): Operation {
  return { operationId, tag: 'Health', summary, answers, errors: ERRORS };
}
