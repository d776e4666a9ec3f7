import type { Request, Response } from 'express';
import { ownerOf, seesEverything } from '../../core/access/key.ts';
import { ownAddress } from '../../core/http/request/own-address.ts';
import { contextOf } from '../../core/http/request/request-context.ts';
import { checkRight } from '../../core/http/request/rights.ts';
import type { JobsState } from '../jobs/jobs.ts';
import { jobsOf } from '../jobs/routes/jobs-on.ts';
import { watchesOf, watchWithId } from '../watches/routes/watch-handlers.ts';
import { lastRunOf, viewOfRun, viewOfWatch } from '../watches/watch-view.ts';
import type { WatchesState } from '../watches/watches-part.ts';
import { type Content, MAX_TEXT_CHARACTERS } from './content.ts';
import { readTexts } from './tool-input.ts';
import type { ReadTool } from './tools.ts';

const MOST_WATCHES = 100;
const MOST_RUNS = 10;

interface ReadCall {
  readonly tool: ReadTool;
  readonly given: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly response: Response;
}

/**
 * Returns a function that reads watches for a tool.
 * @throws ServiceError ScopeError; NotFoundError; ValidationError; StorageError
 */
export function createReadWatches(options: WatchesState & JobsState) {
  return async ({ tool, given, request, response }: ReadCall): Promise<readonly Content[]> => {
    const { key } = contextOf(response);
    checkRight(key, 'jobs');
    const watches = watchesOf(options);
    const { store } = watches;
    const texts = readTexts(tool, given);
    const links = { storage: jobsOf(options).storage, origin: ownAddress(request) };
    if (tool.reads === 'watch') {
      const watch = await watchWithId(watches, texts['watch'] ?? '', key);
      const found = await store.runs(watch.id, { limit: MOST_RUNS });
      const runs = await Promise.all(found.map((run) => viewOfRun(run, links)));
      return [
        textOf(JSON.stringify({ ...(await viewOfWatch(watch, { store, ...links })), last_run: undefined, runs })),
      ];
    }
    const owner = seesEverything(key) ? undefined : ownerOf(key);
    const found = await store.list(owner, { limit: MOST_WATCHES });
    const lines = await Promise.all(
      found.map(async (watch) => {
        const lastRun = await lastRunOf(watch, store);
        const state = watch.nextAt === null ? 'paused' : `next ${new Date(watch.nextAt).toISOString()}`;
        return `${watch.id} ${lastRun?.outcome ?? 'no run yet'}, ${state}, ${watch.fields.schedule}: ${watch.fields.label ?? ''}`;
      }),
    );
    return [textOf(lines.length === 0 ? 'There are no watches.' : lines.join('\n'))];
  };
}

function textOf(text: string): Content {
  return { type: 'text', text: text.slice(0, MAX_TEXT_CHARACTERS) };
}
