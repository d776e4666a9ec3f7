import type { Route } from '../../../core/http/routes/route.ts';
import type { JobsState } from '../../jobs/jobs.ts';
import type { PageState } from '../../pages/page-setting.ts';
import { createWatchesPage } from '../../pages/playground-routes.ts';
import type { WatchSettings } from '../watch-settings.ts';
import type { WatchesState } from '../watches-part.ts';
import {
  createAcceptHandler,
  createAddHandler,
  createListHandler,
  createOneHandler,
  createRunHandler,
  createRunsHandler,
} from './watch-handlers.ts';
import {
  ACCEPT_OPERATION,
  ADD_OPERATION,
  CHANGE_OPERATION,
  LIST_OPERATION,
  REMOVE_OPERATION,
  RUN_OPERATION,
  RUNS_OPERATION,
  WATCH_OPERATION,
} from './watch-operations.ts';
import { watchSchemas } from './watch-schemas.ts';
import { MAX_WATCH_BYTES } from './watch-request.ts';

type WatchRoute = Route<WatchesState & JobsState & PageState & { readonly config: WatchSettings }>;

const BODY = {
  maxBytes: ({ maxBodyBytes }: { readonly maxBodyBytes: number }) => Math.min(maxBodyBytes, MAX_WATCH_BYTES),
};
const FOR_JOBS = { callers: 'bearer', right: 'jobs' } as const;

export const WATCH_ROUTES: readonly WatchRoute[] = [
  {
    path: '/watches',
    methods: ['GET', 'POST'],
    name: 'watches',
    ...FOR_JOBS,
    isLimited: true,
    body: BODY,
    createPage: ({ config }) => (config.playground ? createWatchesPage() : undefined),
    createHandler: (options) => {
      const [list, add] = [createListHandler(options), createAddHandler(options)];
      return (request, response, next) => (request.method === 'GET' ? list : add)(request, response, next);
    },
    operations: { get: LIST_OPERATION, post: ADD_OPERATION },
    schemas: watchSchemas,
  },
  {
    path: '/watches/:id',
    methods: ['GET', 'HEAD', 'PATCH', 'DELETE'],
    name: 'watch',
    ...FOR_JOBS,
    body: BODY,
    createHandler: createOneHandler,
    operations: { get: WATCH_OPERATION, patch: CHANGE_OPERATION, delete: REMOVE_OPERATION },
  },
  {
    path: '/watches/:id/runs',
    methods: ['GET'],
    name: 'watch_runs',
    ...FOR_JOBS,
    createHandler: createRunsHandler,
    operations: { get: RUNS_OPERATION },
  },
  {
    path: '/watches/:id/run',
    methods: ['POST'],
    name: 'watch_run',
    ...FOR_JOBS,
    isLimited: true,
    createHandler: createRunHandler,
    operations: { post: RUN_OPERATION },
  },
  {
    path: '/watches/:id/accept',
    methods: ['POST'],
    name: 'watch_accept',
    ...FOR_JOBS,
    createHandler: createAcceptHandler,
    operations: { post: ACCEPT_OPERATION },
  },
];
