import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PageState } from './page-setting.ts';
import type { Route } from '../../core/http/routes/route.ts';
import express, { type Request, type RequestHandler } from 'express';

const PROGRAMS = new URL('../../programs/', import.meta.url);
/** The build makes the guides, so they are not in src/. */
const GUIDES = new URL('../../../dist/programs/playground/guides/', import.meta.url);

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
  "frame-src blob: 'self'",
  'object-src blob:',
  "frame-ancestors 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const FRAME = 'frame.html';

/**
 * Policy of the page that shows captured markup in a frame of its own, which inherits it: styles and files inside of
 * the markup, and nothing of a network. `sandbox` gives the page an origin that nothing else has.
 */
function framePolicy(): string {
  const text = readFileSync(new URL(`playground/result/${FRAME}`, PROGRAMS), 'utf8');
  const [, script = ''] = /<script>([^]*?)<\/script>/.exec(text) ?? [];
  return [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline' data:",
    'img-src data:',
    'font-src data:',
    'media-src data:',
    "frame-ancestors 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    'sandbox allow-scripts',
  ].join('; ');
}

/** Guides are one folder deeper, so they name the folder of the pages. */
const GUIDE_POLICY = PLAYGROUND_POLICY.replace("base-uri 'none'", "base-uri 'self'");

/** The pages for browsers. The page of usage has the path of its route. */
export const PAGES: readonly Route<PageState>[] = Object.entries({
  '/': () => page('index.html'),
  '/docs': () => page('docs.html'),
  '/queue': () => page('queue.html'),
  '/comparison': () => page('compare/compare.html'),
  '/guides/:name': createGuidePage,
  '/llms.txt': () => pageOf(createFiles(GUIDES), PLAYGROUND_POLICY, () => 'llms.txt'),
}).map(([path, createHandler]) => ({
  path,
  methods: ['GET', 'HEAD'],
  callers: 'anyone',
  isPage: true,
  setting: 'PLAYGROUND=true',
  isOn: ({ config: { playground } }) => playground,
  createHandler,
}));

export const createUsagePage = (): RequestHandler => page('usage/usage.html');
export const createWatchesPage = (): RequestHandler => page('watches/watches.html');

function nameOf({ params }: Request): string {
  return String(params['name']);
}

function createGuidePage(): RequestHandler {
  const show = pageOf(createFiles(GUIDES), GUIDE_POLICY, (request) =>
    nameOf(request).endsWith('.md') ? nameOf(request) : `${nameOf(request)}.html`,
  );
  return (request, response, next) =>
    /^[a-z-]+(?:\.md)?$/.test(nameOf(request)) ? show(request, response, next) : next();
}

/** Files of these pages, and the client that they use, by path. */
export const PAGE_FILES: Readonly<Record<string, RequestHandler>> = {
  '/playground': createPlaygroundFiles(),
  '/client': createPlaygroundFiles('client'),
};

function createPlaygroundFiles(folder: 'playground' | 'client' = 'playground'): RequestHandler {
  return createFiles(new URL(folder, PROGRAMS));
}

function createFiles(folder: URL): RequestHandler {
  const policy = framePolicy();
  return express.static(fileURLToPath(folder), {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: (response, path) => {
      // Browsers cache the files and revalidate them each time, so that no old file is used after an update.
      response.setHeader('Cache-Control', 'no-cache');
      if (path.endsWith(FRAME)) response.setHeader('Content-Security-Policy', policy);
    },
  });
}

function page(name: string): RequestHandler {
  return pageOf(createPlaygroundFiles(), PLAYGROUND_POLICY, () => name);
}

/** Does not use `sendFile`, which sends no ETag when the app has ETags switched off. */
function pageOf(files: RequestHandler, policy: string, nameOf: (request: Request) => string): RequestHandler {
  return (request, response, next) => {
    response.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
    request.url = `/${nameOf(request)}`;
    return files(request, response, next);
  };
}
