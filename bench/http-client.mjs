import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { CAPTURE_LIMIT_MS, WINDOW } from './jobs.mjs';
import { siteUrl } from './site.mjs';

const SHOWN = 300;

/**
 * Creates a client of a service, with keep-alive connections from `localAddress` if it is given. The caller closes it.
 */
export function createHttpClient(origin, { token, localAddress } = {}) {
  const endpoint = new URL('/capture', origin);
  const { Agent, request } = endpoint.protocol === 'https:' ? https : http;
  const options = {
    agent: new Agent({ keepAlive: true }),
    method: 'POST',
    localAddress,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };

  /**
   * Sends a request and reads its answer to the end. Bytes are counted, not kept, to save processor time for the
   * service.
   */
  const send = async (fields) => {
    const body = JSON.stringify({
      format: 'png',
      window_width: WINDOW.width,
      window_height: WINDOW.height,
      ...fields,
    });
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(CAPTURE_LIMIT_MS);
    const response = await new Promise((resolve, reject) => {
      request(endpoint, { ...options, signal })
        .once('response', resolve)
        .once('error', reject)
        .end(body);
    });
    let [head, bytes] = [Buffer.alloc(0), 0];
    response.on('data', (chunk) => {
      if (bytes === 0) head = chunk;
      bytes += chunk.length;
    });
    await once(response, 'end');
    return { status: response.statusCode, durationMs: performance.now() - startedAt, head, bytes };
  };

  return {
    /** @throws Error if the answer is not a capture, or not the expected one */
    capture: async (url, { fields, check }) => {
      const { status, durationMs, head, bytes } = await send({ url, ...fields });
      if (status !== 200) throw new Error(`status ${status}: ${head.toString('utf8', 0, SHOWN)}`);
      check(head);
      return { durationMs, bytes };
    },
    /**
     * Returns a function that captures pages of several sites one after the other and returns the status. Error texts
     * go to the listener.
     */
    statusOf:
      (sitePort, path, onError = () => undefined) =>
      async (index) => {
        const { status, head } = await send({ url: siteUrl(index, sitePort, path) });
        if (status !== 200) onError(`${status}: ${head.toString('utf8', 0, SHOWN)}`);
        return status;
      },
    close: () => options.agent.destroy(),
  };
}
