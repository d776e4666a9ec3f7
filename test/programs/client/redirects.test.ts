import { describe, expect, it } from 'vitest';
import { createCaptureClient } from '../../../src/programs/client/client.ts';

/** Sends one capture to a service that gives this answer. */
async function captureWith(answer: () => Response) {
  const requests: RequestInit[] = [];
  const fetch = async (_address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    requests.push(init);
    return answer();
  };
  const client = createCaptureClient({ service: 'http://captures.test', fetch, retries: 0 });
  const error: unknown = await client.capture({ html_content: '<p>' }).catch((failure: unknown) => failure);
  return { error, requests };
}

describe('a redirect of a proxy', () => {
  it.each([301, 302, 307, 308])('is an error that names the address: %d', async (status) => {
    const headers = { location: 'https://captures.test/capture' };

    const { error, requests } = await captureWith(() => new Response('Moved', { status, headers }));

    expect(requests).toMatchObject([{ method: 'POST', redirect: 'manual' }]);
    expect(error).toMatchObject({
      errorType: 'UnexpectedAnswerError',
      status,
      message: expect.stringContaining('redirects to https://captures.test/capture'),
    });
  });

  it('does not hide an error of the service', async () => {
    const body = JSON.stringify({ status: 'error', message: 'No', error_type: 'ValidationError' });

    const { error } = await captureWith(() => new Response(body, { status: 400, headers: { location: '/help' } }));

    expect(error).toMatchObject({ errorType: 'ValidationError', status: 400 });
  });
});
