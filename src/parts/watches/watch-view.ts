import { NEVER_IN_LINKS, SENSITIVE_FIELDS } from '../../core/capture/request/sensitive-fields.ts';
import { shownRegion } from '../compare/compare-call.ts';
import { timeOf, viewOfError } from '../jobs/job-view.ts';
import { createMask } from '../../features/data/secrets.ts';
import type { Storage } from '../storage/storage.ts';
import type { Run, RunComparison, Watch, WatchFields } from './watch.ts';
import { HIDDEN, LEFT_OUT } from './watch-capture.ts';
import type { WatchStore } from './watch-store.ts';

/** Hides log-ins, and parameters whose names look secret. */
const hideParameters = createMask({});
const SECRET_FIELDS: ReadonlySet<string> = new Set(
  [...SENSITIVE_FIELDS, ...NEVER_IN_LINKS].filter((name) => name !== 'store' && name !== 'store_path'),
);

/** Characters of a value, as JSON, that a list shows. Fifty watches with markup would be 13 MB. */
const MOST_LISTED = 2_000;

interface ViewOptions {
  readonly storage: Storage;
  /** Base of links to this service. */
  readonly origin: string;
}

interface RunViewOptions extends ViewOptions {
  readonly label?: string | undefined;
  /** The run that it was compared with. */
  readonly baseline?: Run | undefined;
}

/**
 * Returns a run as clients see it, with links that need no token.
 * @throws ServiceError StorageError
 */
export async function viewOfRun(run: Run, { storage, origin, label, baseline }: RunViewOptions): Promise<object> {
  const { result, error, comparison } = run;
  const link = result && (await storage.link(result.path));
  const before = baseline?.result && (await storage.link(baseline.result.path));
  return {
    id: run.id,
    watch: run.watch,
    ...(label !== undefined && { label }),
    outcome: run.outcome,
    started_at: timeOf(run.startedAt),
    finished_at: timeOf(run.finishedAt),
    ...(comparison !== undefined && { comparison: viewOfComparison(comparison) }),
    ...(result !== undefined &&
      link !== undefined && {
        url: new URL(link.url, origin).href,
        expires_at: link.expiresAt.toISOString(),
        content_type: result.contentType,
        bytes: result.bytes,
        ...(result.facts.targetStatus !== undefined && { target_status: result.facts.targetStatus }),
        ...(result.facts.warnings.length > 0 && { warnings: result.facts.warnings }),
      }),
    ...(before !== undefined && { before_url: new URL(before.url, origin).href }),
    ...(run.flickered !== undefined && { flickered: run.flickered }),
    ...(run.isUnsteady && { unsteady: true }),
    ...(run.pauses && { paused: true }),
    ...(error !== undefined && { error: viewOfError(error) }),
  };
}

function viewOfComparison({ regions, ...comparison }: RunComparison): object {
  return { ...comparison, ...(regions && { regions: regions.map(shownRegion) }) };
}

/** Returns the newest run that has ended. Undefined: none has. */
export async function lastRunOf(
  { id, lastRun }: Watch,
  { getRun }: Pick<WatchStore, 'getRun'>,
): Promise<Run | undefined> {
  return lastRun === undefined ? undefined : await getRun(id, lastRun);
}

interface WatchViewOptions extends ViewOptions {
  readonly store: WatchStore;
  /** True: long values of the capture are left out. */
  readonly isListed?: boolean;
}

/**
 * Returns a watch as clients see it, with its last run and without its secrets.
 * @throws ServiceError StorageError
 */
export async function viewOfWatch(
  watch: Watch,
  { store, isListed = false, ...links }: WatchViewOptions,
): Promise<object> {
  const lastRun = await lastRunOf(watch, store);
  const { id, fields, createdAt, nextAt, pausedBy, failures, going, baseline } = watch;
  return {
    id,
    state: nextAt === null ? 'paused' : 'active',
    ...(nextAt === null && pausedBy !== undefined && { paused_by: pausedBy }),
    ...viewOfFields(fields, isListed),
    created_at: timeOf(createdAt),
    ...(nextAt !== null && { next_run_at: timeOf(nextAt) }),
    ...(going !== undefined && { current_run: going.id }),
    failures,
    ...(baseline !== undefined && { baseline_run: baseline }),
    ...(lastRun !== undefined && { last_run: await viewOfRun(lastRun, links) }),
  };
}

function viewOfFields({ capture, webhook_url: webhook, ...fields }: WatchFields, isListed: boolean): object {
  const shown = Object.entries(capture).map(([name, value]) => {
    if (SECRET_FIELDS.has(name)) return [name, HIDDEN];
    if (isListed && JSON.stringify(value).length > MOST_LISTED) return [name, LEFT_OUT];
    return [name, name === 'url' && typeof value === 'string' ? hideParameters(value) : value];
  });
  return {
    ...fields,
    capture: Object.fromEntries(shown),
    ...(webhook !== undefined && { webhook_url: withoutSecrets(webhook) }),
  };
}

/** Receivers often carry a token in the path or the query of their address. */
function withoutSecrets(address: string): string {
  const url = URL.parse(address);
  if (url === null) return HIDDEN;
  return url.pathname === '/' && url.search === '' ? url.origin : `${url.origin}/${HIDDEN}`;
}
