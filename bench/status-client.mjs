import http from 'node:http';

const LIMIT_MS = 60_000;

/**
 * A function that captures a page, reads the answer to its end and gives back the status alone: 50 sites in turn. The caller
 * closes the client.
 */
export function createStatusClient(origin, { sitePort, path }) {
  const endpoint = new URL('/capture', origin);
  const agent = new http.Agent({ keepAlive: true });
  const capture = (index) =>
    new Promise((resolve, reject) => {
      const url = `http://127.0.0.${1 + (index % 50)}:${sitePort}${path}`;
      const request = http.request(endpoint, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      request.once('error', reject);
      request.once('response', (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode));
        response.once('error', reject);
      });
      request.end(JSON.stringify({ url }));
    });
  return { capture, close: () => agent.destroy() };
}
