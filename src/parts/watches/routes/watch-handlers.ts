import { isDeepStrictEqual } from 'node:util';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../../core/ground/errors.ts';
import { type Key, ownerOf, seesEverything } from '../../../core/access/key.ts';
import { ownAddress } from '../../../core/http/request/own-address.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import type { Core } from '../../../core/http/routes/route.ts';
import { createJobId } from '../../jobs/job-id.ts';
import type { JobsState } from '../../jobs/jobs.ts';
import { jobsOf } from '../../jobs/routes/jobs-on.ts';
import type { WatchSettings } from '../watch-settings.ts';
import type { Run, Watch } from '../watch.ts';
import { updateWatch } from '../watch-store.ts';
import { viewOfRun, viewOfWatch } from '../watch-view.ts';
import { planAfter, type Watches } from '../watches.ts';
import type { WatchesState } from '../watches-part.ts';
import { changedFields, readChange, readWatch, type WatchRules } from './watch-request.ts';

export type WatchOptions = WatchesState &
  JobsState &
  Pick<Core, 'parseFields' | 'checkAddresses' | 'now' | 'log'> & { readonly config: WatchSettings };

const IN_A_PAGE = 50;

/** A request about a watch, and what its handler needs. */
interface Call extends Pick<WatchOptions, 'now'> {
  readonly watches: Watches;
  readonly request: Request;
  readonly response: Response;
  readonly show: (watch: Watch, isListed?: boolean) => Promise<object>;
}

/**
 * Returns the watches of this service.
 * @throws ServiceError ValidationError if the settings allow no jobs
 */
export function watchesOf({ watches, jobs }: WatchesState & JobsState): Watches {
  jobsOf({ jobs });
  if (watches === undefined) throw new ServiceError('ValidationError', 'Watches are off');
  return watches;
}

/** Creates a handler of watches. */
function createWatchHandler(options: WatchOptions, handle: (call: Call) => Promise<void>): RequestHandler {
  return async (request, response) => {
    const watches = watchesOf(options);
    const { storage } = jobsOf(options);
    const show: Call['show'] = (watch, isListed = false) =>
      viewOfWatch(watch, { store: watches.store, storage, origin: ownAddress(request), isListed });
    await handle({ watches, request, response, show, now: options.now });
  };
}

/** Handles `POST /watches`: adds a watch, and begins its first run. */
export function createAddHandler(options: WatchOptions): RequestHandler {
  return createWatchHandler(options, async ({ watches, request, response, show }) => {
    const nowMs = options.now() * 1_000;
    const fields = await readWatch(request.body ?? {}, rulesOf(options, response));
    const { key } = contextOf(response);
    const id = createJobId(nowMs);
    const planned = { id, fields, anchorMs: nowMs };
    const watch: Watch = {
      ...planned,
      ...planAfter(planned, nowMs),
      owner: ownerOf(key),
      origin: ownAddress(request),
      createdAt: nowMs,
      edition: 1,
      failures: 0,
      compared: [],
      revision: 1,
    };
    const { watchMax } = options.config;
    // A key leaves half of them to others.
    const own = seesEverything(key) ? watchMax : Math.ceil(watchMax / 2);
    if (!(await watches.store.add(watch, { all: watchMax, own })))
      throw new ServiceError('WatchLimitError', undefined, { details: `WATCH_MAX is ${watchMax}` });
    // The watch is there, so the client must learn its id. The schedule begins a first run that could not begin.
    const begun = await watches.beginNow(watch).catch(async (error: unknown) => {
      options.log.warn({ err: error, watch: id }, 'the first run of a watch could not begin');
      await updateWatch(watches.store, id, (current) => ({ ...current, nextAt: nowMs, spreadMs: 0 })).catch(
        () => undefined,
      );
    });
    const going = begun === undefined ? watch : { ...watch, going: { id: begun } };
    response
      .status(201)
      .set('Location', `/watches/${id}`)
      .json(await show(going));
  });
}

/** Handles `GET /watches`: a page of the watches of the key, newest first. `default` lists all watches. */
export function createListHandler(options: WatchOptions): RequestHandler {
  return createWatchHandler(options, async ({ watches, response, show }) => {
    const { key, link } = contextOf(response);
    const owner = seesEverything(key) ? undefined : ownerOf(key);
    const before = link.query.get('cursor');
    const found = await watches.store.list(owner, { before, limit: IN_A_PAGE });
    const views = await Promise.all(found.map((watch) => show(watch, true)));
    response.json({ watches: views, ...cursorOf(found) });
  });
}

/** Handles `GET`, `PATCH` and `DELETE /watches/<id>`. */
export function createOneHandler(options: WatchOptions): RequestHandler {
  return createWatchHandler(options, async ({ watches, request, response, show }) => {
    const watch = await findWatch(watches, request, response);
    if (request.method === 'PATCH') {
      response.json(await show(await changeWatch(watch, watches, { request, response, options })));
      return;
    }
    if (request.method === 'DELETE') {
      await watches.remove(watch);
      response.status(204).end();
      return;
    }
    response.json(await show(watch));
  });
}

interface ChangeContext {
  readonly request: Request;
  readonly response: Response;
  readonly options: WatchOptions;
}

async function changeWatch(
  watch: Watch,
  watches: Watches,
  { request, response, options }: ChangeContext,
): Promise<Watch> {
  const change = await readChange(request.body ?? {}, watch, rulesOf(options, response));
  const { state } = change;
  const nowMs = options.now() * 1_000;
  const changed = await updateWatch(watches.store, watch.id, (current) => {
    const { capture, compare, schedule, timezone } = current.fields;
    const fields = changedFields(current.fields, change); // another change may have come in between
    const isOther = !isDeepStrictEqual([fields.capture, fields.compare], [capture, compare]);
    const isPlannedAnew = fields.schedule !== schedule || fields.timezone !== timezone;
    const isPaused = state === undefined ? current.nextAt === null : state === 'paused';
    const anchorMs = isPlannedAnew ? nowMs : current.anchorMs;
    const next = { ...current, fields, anchorMs };
    const plan = isPlannedAnew || current.nextAt === null ? planAfter(next, nowMs) : {};
    return {
      ...next,
      ...(isOther && { edition: current.edition + 1, baseline: undefined }),
      ...(isPaused
        ? { nextAt: null, pausedBy: current.pausedBy ?? ('client' as const) }
        : { ...plan, pausedBy: undefined }),
      ...(state === 'active' && { failures: 0 }),
    };
  });
  if (changed === undefined) throw noSuchWatch();
  return changed;
}

/** Handles `GET /watches/<id>/runs`: newest first. */
export function createRunsHandler(options: WatchOptions): RequestHandler {
  return createWatchHandler(options, async ({ watches, request, response }) => {
    const watch = await findWatch(watches, request, response);
    const before = contextOf(response).link.query.get('cursor');
    const found = await watches.store.runs(watch.id, { before, limit: IN_A_PAGE });
    const { storage } = jobsOf(options);
    const origin = ownAddress(request);
    const runs = await Promise.all(found.map((run) => viewOfRun(run, { storage, origin })));
    response.json({ runs, ...cursorOf(found) });
  });
}

/** Handles `POST /watches/<id>/run`. */
export function createRunHandler(options: WatchOptions): RequestHandler {
  return createWatchHandler(options, async ({ watches, request, response }) => {
    const watch = await findWatch(watches, request, response);
    const id = await watches.beginNow(watch);
    response.status(202).set('Location', `/jobs/${id}`).json({ id, watch: watch.id });
  });
}

/** Handles `POST /watches/<id>/accept`: the newest run with a result becomes the baseline. */
export function createAcceptHandler(options: WatchOptions): RequestHandler {
  return createWatchHandler(options, async ({ watches, request, response, show }) => {
    const watch = await findWatch(watches, request, response);
    const runs = await watches.store.runs(watch.id, { limit: IN_A_PAGE });
    const newest = runs.find(({ result, edition }) => result !== undefined && edition === watch.edition);
    if (newest === undefined || watch.fields.compare === null)
      throw new ServiceError('JobNotFinishedError', 'This watch has no run to accept');
    const accepted = await updateWatch(watches.store, watch.id, (current) =>
      current.edition === newest.edition ? { ...current, baseline: newest.id } : undefined,
    );
    response.json(await show(accepted ?? watch));
  });
}

async function findWatch(watches: Watches, request: Request, response: Response): Promise<Watch> {
  return await watchWithId(watches, String(request.params['id']), contextOf(response).key);
}

/**
 * Returns a watch that the key may see. One of another key gets the same answer as an id without a watch.
 * @throws ServiceError NotFoundError
 */
export async function watchWithId({ store }: Watches, id: string, key: Key | undefined): Promise<Watch> {
  const watch = await store.get(id);
  if (watch === undefined || !(seesEverything(key) || ownerOf(key) === watch.owner)) throw noSuchWatch();
  return watch;
}

function noSuchWatch(): ServiceError {
  return new ServiceError('NotFoundError', 'There is no watch with this id');
}

function rulesOf(options: WatchOptions, response: Response): WatchRules {
  const { key } = contextOf(response);
  return {
    parseFields: options.parseFields,
    key,
    hasWebhooks: jobsOf(options).signsWebhooks,
    checkAddresses: (requested) => options.checkAddresses(requested, key),
    leastIntervalMs: options.config.watchMinInterval,
    nowMs: options.now() * 1_000,
  };
}

function cursorOf(found: readonly (Watch | Run)[]): { readonly next_cursor?: string } {
  const last = found.length < IN_A_PAGE ? undefined : found.at(-1);
  return last === undefined ? {} : { next_cursor: last.id };
}
