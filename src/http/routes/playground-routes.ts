import { fileURLToPath } from 'node:url';
import express, { type RequestHandler } from 'express';

const DIST = new URL('../../', import.meta.url);

/**
 * Content security policy: only files of this service, no framing. Captures are shown from blobs, as pictures or framed
 * PDFs. `require-trusted-types-for` blocks creating scripts from text.
 */
const PLAYGROUND_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  'frame-src blob:',
  'object-src blob:',
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/**
 * Content security policy of the API reference. The viewer draws with `data:` addresses and requests only the document.
 * It sets styles by script, which policies don't count as inline.
 */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** Handlers of the pages `/`, `/queue`, `/usage` and `/docs`. */
export const createPlaygroundPage = (): RequestHandler => page('index.html', PLAYGROUND_POLICY);
export const createQueuePage = (): RequestHandler => page('queue.html', PLAYGROUND_POLICY);
export const createUsagePage = (): RequestHandler => page('usage/usage.html', PLAYGROUND_POLICY);
export const createReferencePage = (): RequestHandler => page('docs.html', REFERENCE_POLICY);

/** Serves the files of these pages, or the client that they use. */
export function createPlaygroundFiles(folder: 'playground' | 'client' = 'playground'): RequestHandler {
  return express.static(fileURLToPath(new URL(folder, DIST)), {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: revalidate,
  });
}

/** Does not use `sendFile`, which sends no ETag when the app has ETags switched off. */
function page(name: string, policy: string): RequestHandler {
  const files = createPlaygroundFiles();
  return (request, response, next) => {
    response.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
    request.url = `/${name}`;
    return files(request, response, next);
  };
}

/** Browsers cache the files and revalidate them each time, so that no old file is used after an update. */
function revalidate(response: { setHeader: (name: string, value: string) => unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}
