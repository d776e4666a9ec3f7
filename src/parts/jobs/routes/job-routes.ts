import type { JobsState } from '../jobs.ts';
import type { UsageState } from '../../usage/usage.ts';
import { withFilesOfJob } from '../../../core/http/request/read-multipart.ts';
import type { Route } from '../../../core/http/routes/route.ts';
import {
  BATCH_OPERATION,
  CANCEL_OPERATION,
  JOB_OPERATION,
  jobSchemas,
  LIST_OPERATION,
  RESULT_OPERATION,
  SUBMIT_OPERATION,
} from './job-operations.ts';
import { createResultHandler } from './job-result-route.ts';
import { createJobHandler, createListHandler } from './read-jobs-route.ts';
import { createSubmitHandler } from './submit-jobs-route.ts';

export const JOB_ROUTES: readonly Route<JobsState & UsageState>[] = [
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
];
