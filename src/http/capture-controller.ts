import type { RequestHandler } from 'express';
import type { Capture } from '../capture/capture.ts';
import type { SensitiveField } from '../capture/sensitive-fields.ts';
import { parseRequest } from './parse-request.ts';
import { contextOf } from './request-context.ts';
import { sendCapture } from './send-capture.ts';

/** Parses, captures, sends. */
export function createCaptureController(
  capture: Capture,
  {
    maxWaitMs,
    signedUrlAllow,
  }: { readonly maxWaitMs: number; readonly signedUrlAllow: readonly SensitiveField[] },
): RequestHandler {
  return async (request, response) => {
    const { query, signal, log, summary } = contextOf(response);
    const signedFields = response.locals['routeClass'] === 'signed' ? signedUrlAllow : undefined;
    const options = parseRequest(request, query, { maxWaitMs, signedFields });
    summary['format'] = options.format;
    summary['target'] = options.url === undefined ? 'html_content' : URL.parse(options.url)?.host;
    const result = await capture(options, { signal, log });
    sendCapture(response, options.format, result);
  };
}
