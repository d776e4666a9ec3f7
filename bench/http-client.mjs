import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { CAPTURE_LIMIT_MS, checkPicture, WINDOW } from './round.mjs';

/** A client of the service at an address, over connections that stay open: a function that captures one page. */
export function createHttpClient(origin, { token } = {}) {
  const endpoint = new URL('/capture', origin);
  const { Agent, request } = endpoint.protocol === 'https:' ? https : http;
  const options = {
    agent: new Agent({ keepAlive: true }),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };
  const capture = async (url) => {
    const body = JSON.stringify({
      url,
      format: 'png',
      window_width: WINDOW.width,
      window_height: WINDOW.height,
    });
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(CAPTURE_LIMIT_MS);
    const response = await new Promise((resolve, reject) => {
      request(endpoint, { ...options, signal })
        .once('response', resolve)
        .once('error', reject)
        .end(body);
    });
    // Counted, not kept, unless it is an error: the bench must not spend the service's processor time.
    let [first, bytes] = [Buffer.alloc(0), 0];
    const errorText = [];
    response.on('data', (chunk) => {
      if (bytes === 0) first = chunk;
      bytes += chunk.length;
      if (response.statusCode !== 200) errorText.push(chunk);
    });
    await once(response, 'end');
    const durationMs = performance.now() - startedAt;
    if (response.statusCode !== 200) {
      throw new Error(`status ${response.statusCode}: ${Buffer.concat(errorText).toString('utf8', 0, 300)}`);
    }
    return { durationMs, bytes: checkPicture(first, bytes) };
  };
  return { capture, close: () => options.agent.destroy() };
}
