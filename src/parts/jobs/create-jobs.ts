import type { BrowserHost } from '../../core/browser/host/browser-host.ts';
import type { PagePool } from '../../core/browser/pool/page-pool.ts';
import type { Config } from '../../core/config/settings.ts';
import type { JobSettings } from './job-settings.ts';
import type { WebhookSettings } from '../webhooks/webhook-setting.ts';
import type { Capture, CaptureAnswer } from '../../core/capture/capture.ts';
import type { Key } from '../../core/access/key.ts';
import type { Owners } from '../../core/access/owners.ts';
import type { Logger } from '../../core/ground/log.ts';
import type { Storage } from '../storage/storage.ts';
import type { MemoryBudget } from '../../core/ground/memory-budget.ts';
import type { ParseFields } from '../../core/capture/request/request-parser.ts';
import type { Tracer } from '../../core/ground/tracer.ts';
import type { DeliverWebhook } from '../webhooks/webhook.ts';
import { guardStore, type OpeningStore } from './guard-store.ts';
import { LEASE_MS, WEBHOOK_LEASE_MS } from './job-limits.ts';
import type { JobCounts } from './job-store.ts';
import { createJobs, type JobEvents, type Jobs } from './jobs.ts';
import { openRedisStore } from './redis/open-redis-jobs.ts';
import { openSqliteStore } from './sqlite/open-sqlite-jobs.ts';
import type { StoreSettings } from './sqlite/reopening-store.ts';
import type { UnreadableRecord } from './job-codec.ts';

/**
 * Idle time of the pool after which jobs may use all of their slots. Clients that capture one page after another leave
 * shorter gaps.
 */
const QUIET_MS = 2_000;

type JobsConfig = JobSettings & WebhookSettings & Pick<Config, 'dataDir' | 'poolSize' | 'redisUrl'>;

interface JobsParts {
  /** Storage of results. Undefined: none. */
  readonly storage: Storage | undefined;
  readonly keys: Owners;
  readonly deliver: DeliverWebhook;
  /** Memory for files that webhooks send. */
  readonly memory: MemoryBudget;
  readonly capture: Capture;
  readonly onLostResult: (key: Key | undefined, answer: CaptureAnswer) => Promise<void>;
  readonly parseFields: ParseFields;
  readonly host: Pick<BrowserHost, 'state'>;
  readonly pool: Pick<PagePool, 'quietMs' | 'isBackgroundDue' | 'reserve' | 'keysAtLimit'>;
  readonly metrics: JobEvents & {
    readonly countJobs: (count: () => Promise<JobCounts>) => void;
    readonly recordUnreadable: () => void;
  };
  readonly tracer?: Tracer | undefined;
  readonly log: Logger;
}

interface NoJobs extends Pick<Jobs, 'start' | 'stop' | 'close' | 'isAvailable'> {
  /** Names of the missing settings, as text for people. */
  readonly missing: string;
}
type JobsOfService = Jobs | NoJobs;

const nothing = async (): Promise<void> => undefined;
const NOTHING = { start: () => undefined, stop: nothing, close: nothing, isAvailable: async () => true };

/**
 * Creates the jobs if the settings allow them; otherwise returns the missing settings. The caller closes them.
 * @throws Error with a message for the operator if Redis would evict jobs, or has those of a newer version
 */
export async function createJobsOf(config: JobsConfig, parts: JobsParts): Promise<JobsOfService> {
  const { redisUrl, dataDir } = config;
  const { host, pool, storage, log } = parts;
  if (storage === undefined || (redisUrl === undefined && dataDir === undefined)) {
    return { ...NOTHING, missing: `${nameMissing(config)} must be set` };
  }
  const onUnreadable = ({ id, reason }: UnreadableRecord): void => {
    parts.metrics.recordUnreadable();
    log.error({ job: id, reason }, "a job record can't be read: it is skipped");
  };
  const settings = {
    leases: { jobMs: LEASE_MS, webhookMs: WEBHOOK_LEASE_MS },
    queueLimits: { jobs: config.jobMaxQueued, bytes: config.jobMaxQueuedBytes },
  };
  const opening =
    redisUrl === undefined
      ? openSqlite({ folder: dataDir ?? '', ...settings }, log, onUnreadable)
      : await openRedisStore(redisUrl, settings, log, onUnreadable);
  const store = guardStore(opening, log);
  parts.metrics.countJobs(store.counts);
  const mayStart = createJobAdmission(pool);
  return createJobs({
    ...parts,
    storage,
    store,
    keysAtLimit: pool.keysAtLimit,
    reserve: async (running, signal) =>
      host.state().state === 'running' && mayStart(running) ? await pool.reserve(signal) : undefined,
    signsWebhooks: config.webhookSecret.length > 0,
    namesPages: config.webhookUrls,
    parse: (fields, key) => parts.parseFields(fields, { key }),
    concurrency: config.jobConcurrency ?? Math.max(1, Math.floor(config.poolSize / 2)),
    retentionSeconds: config.jobRetention,
    retentionBytes: config.jobRetentionBytes,
  });
}

function openSqlite(
  settings: StoreSettings,
  log: Logger,
  onUnreadable: (record: UnreadableRecord) => void,
): OpeningStore {
  const store = openSqliteStore({
    ...settings,
    onUnreadable,
    onDeath: (error) => log.error({ err: error }, 'the worker thread of the job store ended: starting another'),
  });
  return { opening: Promise.resolve(store), giveUp: () => undefined };
}

function nameMissing({ redisUrl }: Pick<Config, 'redisUrl'>): string {
  return redisUrl === undefined ? 'DATA_DIR, or REDIS_URL and STORAGE,' : 'STORAGE or DATA_DIR';
}

interface AdmissionOptions {
  /** Milliseconds since a client waited for a capture; 0 while one does. */
  readonly quietMs: () => number;
  /** True if jobs have waited so long for a slot that one may start although clients wait, too. */
  readonly isBackgroundDue: () => boolean;
}

/**
 * Returns a function that decides whether a job may start while `running` others run. Jobs and captures share the
 * processors, even if they use different slots. So several jobs run at once only while the pool is quiet. Otherwise one
 * job at a time starts, between captures or when a background job is due.
 */
export function createJobAdmission({ quietMs, isBackgroundDue }: AdmissionOptions) {
  return (running: number): boolean => {
    const quiet = quietMs();
    if (quiet >= QUIET_MS) return true;
    return running === 0 && (quiet > 0 || isBackgroundDue());
  };
}
