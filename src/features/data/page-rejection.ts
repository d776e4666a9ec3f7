import { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import type { GateSession } from '../../core/egress/gate/gate-session.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { fieldsOf } from '../../core/steps/common/fields.ts';
import { hasStatus, statusesField } from '../../core/steps/common/statuses.ts';
import { readPageErrors, reportUncaughtErrors } from './console-part.ts';
import { areShown } from './in-page/visible-text.ts';
import { createMask, type Mask, type SecretFields } from './secrets.ts';

const MAX_TEXT_LENGTH = 1_000;
const MAX_SHOWN_LENGTH = 500;
const FAILURES = ['http_error', 'request_failed', 'console_error'] as const;
const FAILURES_ERROR = `must be a list of ${FAILURES.join(', ')}`;
/** Resource types that are no part of the page: beacons, reports, favicons, and preflight requests. */
const IGNORED_TYPES: ReadonlySet<string> = new Set(['Ping', 'CSPViolationReport', 'Other', 'Preflight']);

export const rejectionFields = fieldsOf('page', {
  fail_on: z
    .array(z.enum(FAILURES, { error: `must be one of ${FAILURES.join(', ')}` }), { error: FAILURES_ERROR })
    .min(1, { error: FAILURES_ERROR })
    .meta({
      description:
        'Reject the page after one of these failures. `http_error`: the page, a frame or a sub-resource answered with status 400 or above. `request_failed`: a request got no answer. `console_error`: `console.error` or an uncaught error, among the last 1,000 messages',
      example: ['console_error'],
      accepts: `list of ${FAILURES.map((name) => `\`${name}\``).join(', ')}`,
    })
    .optional(),
  fail_on_resource_status: statusesField({
    description: 'Reject the page if a frame or a sub-resource answers with one of these statuses',
    example: ['5xx'],
  }),
  fail_if_text: visibleTextField({
    description:
      'Reject the page if it shows this text when it is ready. Upper and lower case matter; any white space is one space',
    example: 'Access denied',
  }),
  fail_unless_text: visibleTextField({
    description: 'Reject the page unless it shows this text when it is ready',
    example: 'Example page',
  }),
});

export type RejectionOptions = z.output<typeof rejectionFields>;

/** Checks a page for the failures that the request rejects. */
export interface PageRejection {
  /** Begins to listen for failures. Call it while the page is still blank. */
  readonly listen: () => Promise<void>;
  /**
   * Checks the page when it is ready.
   * @throws ServiceError PageRejectedError that names the address, the message or the field
   */
  readonly check: () => Promise<void>;
}

/** Creates the check for one capture. Undefined if the request rejects no page. */
export function createPageRejection(
  page: Page,
  options: RejectionOptions & SecretFields,
  gateSession: Pick<GateSession, 'refusalOf'>,
): PageRejection | undefined {
  const { fail_on: failures = [], fail_on_resource_status: statuses = [] } = options;
  const { fail_if_text: refused, fail_unless_text: required } = options;
  if (failures.length + statuses.length === 0 && refused === undefined && required === undefined) return undefined;
  const mask = createMask(options);
  let first: string | undefined; // `field: failure`
  const report: Report = (failure) => void (first ??= failure());
  const seesConsole = failures.includes('console_error');
  return {
    listen: async () => {
      if (failures.includes('http_error')) {
        followStatuses(page, ({ status, url }) => {
          if (status >= 400) report(() => `fail_on: http_error: ${mask(url)} answered with status ${status}`);
        });
      }
      if (statuses.length > 0) {
        followStatuses(page, ({ status, url }, isPage) => {
          if (isPage || !hasStatus(statuses, status)) return;
          report(() => `fail_on_resource_status: ${mask(url)} answered with status ${status}`);
        });
      }
      if (failures.includes('request_failed')) followFailures(page, { mask, report, gateSession });
      if (seesConsole) await reportUncaughtErrors(page);
    },
    check: async () => {
      await page.receivePendingEvents();
      const [message] = seesConsole && first === undefined ? await readPageErrors(page, mask) : [];
      if (message !== undefined) report(() => `fail_on: console_error: ${message}`);
      if (first !== undefined) throw rejected(first);
      if (refused === undefined && required === undefined) return;
      const texts = [refused ?? '', required ?? ''].map(collapsed);
      const [showsRefused, showsRequired] = await page.evaluate(areShown, texts);
      if (refused !== undefined && showsRefused === true)
        throw rejected(`fail_if_text: the page shows "${collapsed(refused)}"`);
      if (required !== undefined && showsRequired === false)
        throw rejected(`fail_unless_text: the page does not show "${collapsed(required)}"`);
    },
  };
}

/** Keeps only the first failure, so that no text is built for the others. */
type Report = (failure: () => string) => void;

/** @param onAnswer its second parameter is true for the page itself */
function followStatuses(
  page: Page,
  onAnswer: (answer: { readonly status: number; readonly url: string }, isPage: boolean) => void,
): void {
  page.followSessions((session) => {
    session.on('Network.responseReceived', ({ type, response, frameId }) => {
      if (IGNORED_TYPES.has(type)) return;
      onAnswer(response, type === 'Document' && frameId === page.mainFrame.id);
    });
  });
}

interface FailureOptions {
  readonly mask: Mask;
  readonly report: Report;
  readonly gateSession: Pick<GateSession, 'refusalOf'>;
}

/** Ignores requests that the page aborted and requests that a field blocked, such as `block_ads`. */
function followFailures(page: Page, { mask, report, gateSession }: FailureOptions): void {
  const addresses = new Map<string, string>();
  const add = (id: string, reason: string): void => {
    const url = addresses.get(id);
    if (url === undefined) return;
    const refusal = gateSession.refusalOf(url);
    if (refusal === 'filtered') return; // blocked by a field of the request
    report(() => `fail_on: request_failed: ${mask(url)} (${inWords(refusal ?? reason)})`);
  };
  page.followSessions((session) => {
    session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type = 'Other' }) => {
      if (/^https?:/.test(url) && !IGNORED_TYPES.has(type)) addresses.set(requestId, url);
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

/** Field for a text of the page. A blank text would be on every page. */
function visibleTextField(documented: { readonly description: string; readonly example: string }) {
  const error = `must be text of 1 to ${MAX_TEXT_LENGTH} characters that is not blank`;
  return z
    .string({ error })
    .max(MAX_TEXT_LENGTH, { error })
    .refine((text) => collapsed(text) !== '', { error })
    .meta(documented)
    .optional();
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function rejected(details: string): ServiceError {
  return new ServiceError('PageRejectedError', undefined, {
    details: details.slice(0, MAX_SHOWN_LENGTH).toWellFormed(),
  });
}
