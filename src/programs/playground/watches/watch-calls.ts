import type { CaptureError } from '../../client/capture-error.ts';
import { encodeJson } from '../../client/capture-request.ts';
import { readJson } from '../../client/json.ts';
import type { Region } from '../compare/comparison-view.ts';
import { type Caller, get, send } from '../send.ts';

export interface Run {
  readonly id: string;
  readonly outcome: string;
  readonly started_at: string;
  readonly url?: string;
  readonly content_type?: string;
  readonly comparison?: { readonly baseline: string; readonly ratio: number; readonly regions?: readonly Region[] };
  readonly error?: { readonly message: string; readonly error_type: string };
}

export interface Watch {
  readonly id: string;
  readonly state: 'active' | 'paused';
  readonly paused_by?: string;
  readonly label?: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly compare: object | null;
  readonly next_run_at?: string;
  readonly current_run?: string;
  readonly baseline_run?: string;
  readonly failures: number;
  readonly last_run?: Run;
}

interface WatchPage {
  readonly watches: readonly Watch[];
  readonly next_cursor?: string;
}

export function pathOf(id: string): string {
  return `watches/${encodeURIComponent(id)}`;
}

/** Returns a page of the watches. */
export async function readWatches(cursor: string | undefined, caller: Caller): Promise<WatchPage | CaptureError> {
  return await get(`watches${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`, caller);
}

/** Returns the newest runs of a watch. */
export async function readRuns(id: string, caller: Caller): Promise<{ readonly runs: readonly Run[] } | CaptureError> {
  return await get(`${pathOf(id)}/runs`, caller);
}

/** Sends a change, and returns the JSON of the answer. */
export async function act(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  caller: Caller,
  body?: object,
): Promise<object | CaptureError> {
  const request = { ...caller, method, ...(body !== undefined && { encoded: encodeJson(body) }) };
  return await send(path, request, async (response) =>
    response.status === 204 ? {} : Object(await readJson(response)),
  );
}
