import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { createReadBatchHandler } from '../../../src/parts/compat/firecrawl/firecrawl-batch.ts';
import { createJobId, jobIdsOfBatch } from '../../../src/parts/jobs/job-id.ts';
import type { JobRecord } from '../../../src/parts/jobs/job.ts';
import { createMemoryBudget } from '../../../src/core/ground/memory-budget.ts';
import { fake } from '../../support/fake.ts';

const HOUR_MS = 3_600_000;

/** Reads a batch of three jobs, of which these are still in the store. */
async function read(kept: readonly number[], ageMs: number): Promise<Record<string, unknown>> {
  const nowMs = Date.now();
  const first = createJobId(nowMs - ageMs);
  const ids = jobIdsOfBatch(first, 3);
  const jobs = new Map(
    kept.map((index) => [
      ids[index] ?? '',
      fake<JobRecord>({ id: ids[index], owner: 'default', state: 'running', createdAt: nowMs }),
    ]),
  );
  let sent = '';
  const handler = createReadBatchHandler(
    fake({
      jobs: { retentionSeconds: 60, store: { get: async (id: string) => jobs.get(id) } },
      now: () => nowMs / 1_000,
      budgets: { answers: createMemoryBudget(1_000) },
      sendBody: (_response: Response, body: Buffer) => void (sent = body.toString()),
    }),
  );
  const response = Object.assign(new EventEmitter(), {
    locals: { context: { link: { query: new Map() }, signal: new AbortController().signal, client: 'a' } },
    set: () => response,
    type: () => response,
  });
  const request = fake<Request>({ params: { id: `${first}-3-m` }, method: 'GET', path: '/', get: () => 'a.test' });
  await handler(request, fake<Response>(response), () => undefined);
  const answer: Record<string, unknown> = JSON.parse(sent);
  return answer;
}

describe('a batch of Firecrawl', () => {
  it.each([
    [[0, 1, 2], 3, 0],
    [[1, 2], 3, 1],
    [[2], 3, 2],
  ])('is still read when its first jobs have expired: jobs %j are left', async (kept, total, completed) => {
    expect(await read(kept, HOUR_MS)).toMatchObject({ status: 'scraping', total, completed });
  });

  it('has expired with its last job', async () => {
    await expect(read([], HOUR_MS)).rejects.toMatchObject({ type: 'JobExpiredError' });
  });

  it('does not exist if nobody made its first job, whatever the count in its id', async () => {
    await expect(read([], 0)).rejects.toMatchObject({ type: 'NotFoundError' });
  });
});
