import { create } from 'content-disposition';
import type { Request, Response } from 'express';
import fresh from 'fresh';
import { answerKind } from '../../capture/answer-kind.ts';
import type { CaptureAnswer } from '../../capture/capture.ts';
import { PHASES } from '../../steps/common/stopwatch.ts';
import type { CaptureOptions } from '../../capture/request/options.ts';
import type { SendBody } from '../answers/send-body.ts';

const MAX_URL_HEADER = 1_000;

interface Sendable {
  readonly options: Pick<CaptureOptions, 'format' | 'response_type'> &
    Partial<Pick<CaptureOptions, 'file_name' | 'disposition'>>;
  readonly answer: CaptureAnswer;
  readonly cacheHeaders: Readonly<Record<string, string>>;
  readonly sendBody: SendBody;
  /** Called before a 304 is sent to a client that has named the tag of these bytes: `*` does not show that it has them. */
  readonly onNotModified?: () => void;
}

/** Sends a finished capture, or 304 if the client has it. Sets all headers of a capture. */
export function sendCapture(
  request: Request,
  response: Response,
  { options, answer, cacheHeaders, sendBody, onNotModified }: Sendable,
): void {
  response.set(cacheHeaders);
  const { ETag: etag } = cacheHeaders;
  if (etag !== undefined && isKnown(request, etag)) {
    if (request.headers['if-none-match']?.trim() !== '*') onNotModified?.();
    response.status(304).end();
    return;
  }
  response.set(captureHeaders(options, answer)).status(200);
  sendBody(response, answer.body, { isKept: answer.caching !== undefined });
}

/**
 * True if the client sent this tag (RFC 9110 section 13.1.2). Ignores `Cache-Control: no-cache`, which `fetch` adds to every request with
 * If-None-Match and which Express would obey.
 */
function isKnown({ method, headers }: Request, etag: string): boolean {
  return method === 'GET' && fresh({ 'if-none-match': headers['if-none-match'] }, { etag });
}

/** Returns all headers of a capture. */
export function captureHeaders(
  options: Sendable['options'],
  result: Omit<CaptureAnswer, 'body'>,
): Record<string, string> {
  const format = answerKind(options);
  const isStored = result.caching?.isHit === true;
  return {
    'Content-Type': format.mimeType,
    'Content-Disposition': create(options.file_name ?? `screenshot.${format.extension}`, {
      type: options.disposition ?? 'attachment',
    }),
    ...format.headers,
    // Timings of this answer. A cached capture spent none of them.
    ...(!isStored && {
      'Server-Timing': PHASES.map((phase) => `${phase};dur=${result.timings[phase].toFixed(1)}`).join(', '),
    }),
    ...(result.size && {
      'X-Image-Width': `${result.size.width}`,
      'X-Image-Height': `${result.size.height}`,
    }),
    ...(result.targetStatus !== undefined && { 'X-Target-Status': `${result.targetStatus}` }),
    ...(result.targetUrl !== undefined && { 'X-Target-Url': headerSafe(result.targetUrl) }),
    ...(result.blockedRequests > 0 && { 'X-Blocked-Requests': `${result.blockedRequests}` }),
    ...(result.filteredRequests > 0 && { 'X-Filtered-Requests': `${result.filteredRequests}` }),
    ...(result.warnings.length > 0 && { 'X-Capture-Warnings': result.warnings.join(',') }),
  };
}

/** Returns visible ASCII of limited length, because the page chooses the address and proxies limit headers. */
export function headerSafe(url: string): string {
  const encoded = url.replaceAll(/[^\u0021-\u007e]/gu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return encoded.slice(0, MAX_URL_HEADER);
}
