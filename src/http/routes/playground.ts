import { fileURLToPath } from 'node:url';
import express, { type RequestHandler } from 'express';

const FOLDER = fileURLToPath(new URL('../../playground/', import.meta.url));

/**
 * Nothing from anywhere else, no code but files of ours, no framing. A capture is shown from a blob: as a picture or, in a frame,
 * as a PDF. `require-trusted-types-for` refuses every way to make a script of text.
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
 * The viewer makes its drawings of `data:` addresses. It is only read: nothing on the page calls the service but for the document.
 * Its styles are its style sheet; what it sets on single elements it sets by script, which no policy counts as inline.
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

/** The pages at `/`, at `/queue` and at `/docs`. */
export const createPlaygroundPage = (): RequestHandler => page('index.html', PLAYGROUND_POLICY);
export const createQueuePage = (): RequestHandler => page('queue.html', PLAYGROUND_POLICY);
export const createReferencePage = (): RequestHandler => page('docs.html', REFERENCE_POLICY);

/** The files that the pages are made of. */
export function createPlaygroundFiles(): RequestHandler {
  return express.static(FOLDER, {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: revalidate,
  });
}

/** Not by `sendFile`: an app without ETags of its own gets none from it. */
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

/** Kept by browsers, and asked for with its ETag each time: after an update no file of the old version is used. */
function revalidate(response: { setHeader: (name: string, value: string) => unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}
