import { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import type { GateSession } from '../../egress/gate/gate-session.ts';
import { ServiceError } from '../../errors.ts';
import { fieldsOf, textField } from '../../steps/common/fields.ts';
import { rootsOf } from '../../steps/in-page/roots-of.ts';
import { readPageErrors, reportUncaughtErrors } from './console.ts';
import { visibleText } from './in-page/visible-text.ts';
import { createMask, type Mask, type SecretFields } from './secrets.ts';

const MAX_TEXT_LENGTH = 1_000;
const MAX_SHOWN_LENGTH = 500;
const FAILURES = ['http_error', 'request_failed', 'console_error'] as const;
const FAILURES_ERROR = `must be a list of ${FAILURES.join(', ')}`;
/** Requests that are no part of the page: beacons, reports, favicons, and the checks before a cross-origin request. */
const ASIDE: ReadonlySet<string> = new Set(['Ping', 'CSPViolationReport', 'Other', 'Preflight']);

export const rejectionFields = fieldsOf('page', {
  fail_on: z
    .array(z.enum(FAILURES, { error: FAILURES_ERROR }), { error: FAILURES_ERROR })
    .min(1, { error: FAILURES_ERROR })
    .meta({
      description:
        'Return an error if anything of this happened on the page. `http_error`: the page, a frame or a sub-resource answered with status 400 or above. `request_failed`: a request got no answer. `console_error`: `console.error` or an uncaught error',
      example: ['console_error'],
      accepts: `list of ${FAILURES.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
  fail_if_text: textField(MAX_TEXT_LENGTH, {
    description:
      'Return an error if the page shows this text when it is ready. Upper and lower case matter, white space does not',
    example: 'Access denied',
  }).optional(),
  fail_unless_text: textField(MAX_TEXT_LENGTH, {
    description: 'Return an error unless the page shows this text when it is ready',
    example: 'Example page',
  }).optional(),
});

type RejectionOptions = z.output<typeof rejectionFields>;

/** Rejects pages with failures that the request names. */
export interface PageRejection {
  /** Starts to listen on the blank page. */
  readonly listen: () => Promise<void>;
  /**
   * Judges the page when it is ready.
   * @throws ServiceError PageRejectedError that names the address, the message or the field
   */
  readonly check: () => Promise<void>;
}

/** Creates the judge of one capture. Undefined if the request names no failure. */
export function createPageRejection(
  page: Page,
  options: RejectionOptions & SecretFields,
  gateSession: Pick<GateSession, 'refusalOf'>,
): PageRejection | undefined {
  const { fail_on: failures = [], fail_if_text: refused, fail_unless_text: required } = options;
  if (failures.length === 0 && refused === undefined && required === undefined) return undefined;
  const mask = createMask(options);
  const seen: string[] = [];
  const seesConsole = failures.includes('console_error');
  return {
    listen: async () => {
      if (failures.includes('http_error')) followHttpErrors(page, mask, seen);
      if (failures.includes('request_failed')) followFailures(page, { mask, seen, gateSession });
      if (seesConsole) await reportUncaughtErrors(page);
    },
    check: async () => {
      await page.receivePendingEvents();
      const [message] = seesConsole && seen.length === 0 ? await readPageErrors(page, mask) : [];
      if (message !== undefined) seen.push(`console_error: ${message}`);
      const [first] = seen;
      if (first !== undefined) throw rejected(`fail_on: ${first}`);
      if (refused === undefined && required === undefined) return;
      const text = await page.evaluate(visibleText, rootsOf);
      if (refused !== undefined && text.includes(collapsed(refused)))
        throw rejected(`fail_if_text: the page shows "${collapsed(refused)}"`);
      if (required !== undefined && !text.includes(collapsed(required)))
        throw rejected(`fail_unless_text: the page does not show "${collapsed(required)}"`);
    },
  };
}

function followHttpErrors(page: Page, mask: Mask, seen: string[]): void {
  page.followSessions((session) => {
    session.on('Network.responseReceived', ({ type, response: { status, url } }) => {
      if (status < 400 || ASIDE.has(type) || seen.length > 0) return;
      seen.push(`http_error: ${mask(url)} answered with status ${status}`);
    });
  });
}

interface FailureLog {
  readonly mask: Mask;
  readonly seen: string[];
  readonly gateSession: Pick<GateSession, 'refusalOf'>;
}

/** Ignores what the page aborted itself and what fields of the request blocked. */
function followFailures(page: Page, { mask, seen, gateSession }: FailureLog): void {
  const addresses = new Map<string, string>();
  const add = (id: string, reason: string): void => {
    const url = addresses.get(id);
    if (url === undefined || seen.length > 0) return;
    const refusal = gateSession.refusalOf(url);
    if (refusal === 'filtered') return; // blocked by a field of the request
    seen.push(`request_failed: ${mask(url)} (${inWords(refusal ?? reason)})`);
  };
  page.followSessions((session) => {
    session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type = 'Other' }) => {
      if (/^https?:/.test(url) && !ASIDE.has(type)) addresses.set(requestId, url);
    });
    session.on('Network.loadingFinished', ({ requestId }) => addresses.delete(requestId));
    session.on('Network.loadingFailed', ({ requestId, canceled, blockedReason, errorText }) => {
      // `inspector`: blocked by a field of the request.
      if (canceled !== true && blockedReason !== 'inspector') add(requestId, blockedReason ?? errorText);
      addresses.delete(requestId);
    });
  });
}

/** Codes of Chrome are names with underscores, such as `net::ERR_CONNECTION_REFUSED`. */
function inWords(code: string): string {
  return code
    .replace(/^.*net::ERR_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function rejected(details: string): ServiceError {
  return new ServiceError('PageRejectedError', undefined, {
    details: details.slice(0, MAX_SHOWN_LENGTH).toWellFormed(),
  });
}
