import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cancelJob, listJobs, submitJob } from '../../../src/playground/jobs/job-calls.ts';

describe('calls of the jobs API', () => {
  beforeEach(() => {
    vi.stubGlobal('document', { baseURI: 'http://service/' });
    vi.stubGlobal('fetch', async () => {
      const body = new ReadableStream({ start: (it) => it.error(new TypeError('interrupted')) });
      return new Response(body, { status: 200 });
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  // The failure was not reported, and the jobs page stopped polling.
  it('fail with a readable error if the connection breaks within the answer', async () => {
    const call = { token: undefined };

    const answers = await Promise.all([
      listJobs({ state: undefined, cursor: undefined }, call),
      submitJob({}, call),
      cancelJob('1', call),
    ]);

    expect(answers).toEqual(
      Array(3).fill(expect.objectContaining({ kind: 'failure', message: expect.stringContaining('answer') })),
    );
  });
});
