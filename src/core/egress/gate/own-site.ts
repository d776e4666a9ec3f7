import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { contentType } from 'mime-types';

/** A file of an own site. */
interface OwnFile {
  readonly body: Buffer;
  readonly contentType: string;
  readonly status?: number | undefined;
}

/** Files that the gate serves to one capture from memory, so no path can lead out of them. */
export interface OwnSite {
  /** Hash of all files. */
  readonly id: string;
  /** Files by path, without a leading slash. */
  readonly files: ReadonlyMap<string, OwnFile>;
}

const UNKNOWN = 'application/octet-stream';
const SVG = /^\s*(?:<\?xml[^<>]*>\s*)?<svg[\s>]/;
const HEAD_BYTES = 300;

/** Returns a site of these files by path. The id is theirs, unless more decides what the site shows. */
export function ownSiteOf(contents: ReadonlyMap<string, Buffer>, id = hashOfFiles(contents)): OwnSite {
  const files = [...contents].map(([path, body]): [string, OwnFile] => {
    return [path, { body, contentType: typeOf(path, body) }];
  });
  return { id, files: new Map(files) };
}

/** Browsers recognize other pictures without a type, such as the parts of a mail, which are named by their ids. */
function typeOf(path: string, body: Buffer): string {
  const type = contentType(extname(path));
  const isOther = type === false || type.startsWith('application/');
  return isOther && SVG.test(body.toString('latin1', 0, HEAD_BYTES)) ? 'image/svg+xml' : type || UNKNOWN;
}

/** Hashes the paths and contents of files. */
export function hashOfFiles(contents: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const [path, bytes] of contents) hash.update(JSON.stringify([path, bytes.length])).update(bytes);
  return hash.digest('base64url');
}

/** Host of own sites. RFC 6761 reserves `.invalid`, so the name leads nowhere outside of the gate. */
export const OWN_HOST = 'template.invalid';
export const OWN_ORIGIN = `http://${OWN_HOST}`;
export const OWN_PORT = 80;

/** Browsers request it of each site. */
const ICON = 'favicon.ico';

/** A page and its files. */
export interface OwnPage extends Pick<OwnSite, 'files'> {
  readonly html: string;
  /** Status of the page. 200 unless it stands for a file that was answered with another one. */
  readonly status?: number | undefined;
}

/** Counted for each answer, because each takes time of the main thread. */
const ANSWER_BYTES = 4_096;

/**
 * Serves a page at `/` and its files beside it. Returns the handler of a connection, which ends with its socket.
 * @param countBytes called with the size of each answer
 * @param onMissing called for each file that the page requests and the site lacks
 */
export function createOwnSite(
  { html, status, files }: OwnPage,
  countBytes: (bytes: number) => void,
  onMissing: () => void,
): (client: Socket) => void {
  const page = { body: Buffer.from(html), contentType: 'text/html; charset=utf-8', status };
  const server = createServer((request, response) => {
    const path = pathOf(request);
    const file = path === '' ? page : path === undefined ? undefined : files.get(path);
    countBytes(ANSWER_BYTES + (file?.body.length ?? 0));
    if (file === undefined && path !== ICON) onMissing();
    answer(request, response, file);
  });
  return (client) => void server.emit('connection', client);
}

function answer({ method }: IncomingMessage, response: ServerResponse, file: OwnFile | undefined): void {
  if (file === undefined || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(404, { 'Content-Length': 0 }).end();
    return;
  }
  response.writeHead(file.status ?? 200, {
    'Content-Type': file.contentType,
    'Content-Length': file.body.length,
    'Cache-Control': 'max-age=3600', // the cache ends with the browser context of the capture
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(method === 'HEAD' ? undefined : file.body);
}

/** Undefined for addresses that name no file. */
function pathOf({ url = '' }: IncomingMessage): string | undefined {
  const [path = ''] = url.split('?', 1);
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return undefined;
  }
}
