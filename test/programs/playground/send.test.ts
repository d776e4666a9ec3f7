import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError } from '../../../src/programs/client/capture-error.ts';
import { readPages } from '../../../src/programs/playground/jobs/read-pages.ts';
import { submitJob } from '../../../src/programs/playground/jobs/submit-job.ts';
import { capture, sign } from '../../../src/programs/playground/send.ts';

describe('calls of the service', () => {
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
      readPages({ state: undefined, pages: 1 }, call),
      submitJob({}, call),
      capture({}, call),
      sign({}, 1, call),
    ]);

    expect(answers).toEqual(Array(4).fill(expect.any(ConnectionError)));
    expect(answers.map((answer) => Object(answer).message)).toEqual(
      Array(4).fill("The service at http://service can't be reached: interrupted"),
    );
  });
});
