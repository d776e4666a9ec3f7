import type { Response } from 'express';
import type { CaptureResult } from '../capture/capture-on-page.ts';
import type { FormatName } from '../capture/step.ts';
import { PHASES } from '../capture/stopwatch.ts';
import { FORMATS } from '../formats/index.ts';

const MAX_URL_HEADER = 1_000;

/** Sends a finished capture: every header of decisions.md 3 is set here. */
export function sendCapture(response: Response, formatName: FormatName, result: CaptureResult): void {
  const format = FORMATS[formatName];
  response.set({
    'Content-Type': format.mimeType,
    'Content-Disposition': `attachment; filename=screenshot.${format.extension}`,
    'Server-Timing': PHASES.map((phase) => `${phase};dur=${result.timings[phase].toFixed(1)}`).join(', '),
    ...format.headers,
    ...(result.size && {
      'X-Image-Width': `${result.size.width}`,
      'X-Image-Height': `${result.size.height}`,
    }),
    ...(result.targetStatus !== undefined && { 'X-Target-Status': `${result.targetStatus}` }),
    ...(result.targetUrl !== undefined && { 'X-Target-Url': headerSafe(result.targetUrl) }),
    ...(result.blockedRequests > 0 && { 'X-Blocked-Requests': `${result.blockedRequests}` }),
    ...(result.warnings.length > 0 && { 'X-Capture-Warnings': result.warnings.join(',') }),
  });
  response.status(200).end(result.body);
}

/** Visible ASCII only, and not longer than a proxy accepts: the address is the page's own choice. */
function headerSafe(url: string): string {
  const encoded = url.replaceAll(/[^\u0021-\u007e]/gu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
  return encoded.slice(0, MAX_URL_HEADER);
}
