import type { CaptureFacts } from '../../core/capture/capture-on-page.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { WarningCode } from '../../core/steps/common/step.ts';

/** The first status of an error page. */
const LEAST_ERROR = 400;
/** A page that does not exist may be watched until it does. */
const MISSING: readonly number[] = [404, 410];

/** Parts of the page are missing, so a difference may be theirs. */
const INCOMPLETE: readonly WarningCode[] = [
  'page_load_incomplete',
  'document_incomplete',
  'images_not_ready',
  'fonts_not_ready',
  'navigations_pending',
  'cookie_banner_open',
];

type Facts = Pick<CaptureFacts, 'targetStatus' | 'warnings'>;

/**
 * Refuses a capture that does not show the page.
 * @param before the baseline; undefined for the first run
 * @throws ServiceError NavigationError, after which the run has another attempt
 */
export function refuseUnusable({ targetStatus: status, warnings }: Facts, before: Facts | undefined): void {
  const isKnown = before === undefined ? MISSING.includes(status ?? 0) : before.targetStatus === status;
  if (status !== undefined && status >= LEAST_ERROR && !isKnown)
    throw new ServiceError('NavigationError', `The page answered with status ${status}`);
  if (warnings.includes('page_blank') && before?.warnings.includes('page_blank') !== true)
    throw new ServiceError('NavigationError', 'The page was blank');
}

/**
 * Refuses a capture that differs and lacks parts that the baseline has.
 * @throws ServiceError NavigationError, after which the run has another attempt
 */
export function refuseIncomplete({ warnings }: Facts, before: Facts): void {
  const reason = INCOMPLETE.find((code) => warnings.includes(code) && !before.warnings.includes(code));
  if (reason !== undefined)
    throw new ServiceError('NavigationError', 'The page was captured without some of its parts', { details: reason });
}
