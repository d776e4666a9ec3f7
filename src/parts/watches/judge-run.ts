import { z } from 'zod';
import type { CaptureAnswer } from '../../core/capture/capture.ts';
import type { CaptureFacts } from '../../core/capture/capture-on-page.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { parseJson } from '../../core/ground/parse-json.ts';
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
  'requests_pending',
  'network_not_idle',
  'cookie_banner_open',
];

type Facts = Pick<CaptureFacts, 'targetStatus' | 'warnings'>;

/**
 * Refuses an error page.
 * @param before the baseline; undefined for the first run
 * @throws ServiceError NavigationError, after which the run has another attempt
 */
export function refuseErrorPage({ targetStatus: status }: Facts, before: Facts | undefined): void {
  const isKnown = before === undefined ? MISSING.includes(status ?? 0) : before.targetStatus === status;
  if (status !== undefined && status >= LEAST_ERROR && !isKnown)
    throw new ServiceError('NavigationError', `The page answered with status ${status}`);
}

/** Refuses a capture that does not show the page. Throws like `refuseErrorPage`. */
export function refuseUnusable(facts: Facts, before: Facts | undefined): void {
  refuseErrorPage(facts, before);
  if (facts.warnings.includes('page_blank') && before?.warnings.includes('page_blank') !== true)
    throw new ServiceError('NavigationError', 'The page was blank');
}

/**
 * Refuses a capture that differs and lacks parts that the baseline has.
 * @throws ServiceError NavigationError, after which the run has another attempt
 */
export function refuseIncomplete(
  { facts: { warnings }, parts }: Pick<CaptureAnswer, 'parts'> & { readonly facts: Facts },
  before: { readonly facts: Facts; readonly failing: readonly string[] },
): void {
  const reason =
    INCOMPLETE.find((code) => warnings.includes(code) && !before.facts.warnings.includes(code)) ??
    failingIn(parts).find((address) => !before.failing.includes(address));
  if (reason !== undefined)
    throw new ServiceError('NavigationError', 'The page was captured without some of its parts', { details: reason });
}

const MOST_FAILING = 50;
/** Sub-resources that people see, or whose lack they see. */
const SEEN: readonly string[] = ['document', 'stylesheet', 'image', 'font', 'script'];
/** Not what the page or the service itself has blocked or given up. */
const BROKEN = /^net::ERR_(?!BLOCKED|ABORTED)/;
const TOO_MANY_REQUESTS = 429;
const LEAST_SERVER_ERROR = 500;

const networkPart = z.object({
  entries: z.array(
    z.object({
      url: z.string(),
      status: z.number().nullable(),
      type: z.string(),
      error: z.string().optional(),
    }),
  ),
});

/** Returns the addresses, without their queries, of sub-resources whose server has failed. */
export function failingIn(parts: CaptureAnswer['parts']): readonly string[] {
  const { data } = networkPart.safeParse(parseJson(parts.get('network')?.toString('utf8') ?? ''));
  const failing = (data?.entries ?? []).filter(
    ({ status, type, error }) =>
      SEEN.includes(type) &&
      (BROKEN.test(error ?? '') || status === TOO_MANY_REQUESTS || (status ?? 0) >= LEAST_SERVER_ERROR),
  );
  return [...new Set(failing.map(({ url }) => url.split(/[?#]/, 1)[0] ?? ''))].slice(0, MOST_FAILING);
}
