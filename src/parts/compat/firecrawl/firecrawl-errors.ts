import type { RequestHandler } from 'express';
import { type ErrorType, ServiceError } from '../../../core/ground/errors.ts';
import type { ErrorBody, ErrorForm } from '../../../core/http/answers/error-handler.ts';
import { theirWords } from '../convert-options.ts';
import { SCRAPE_OPTIONS } from './firecrawl-options.ts';

/** Firecrawl's codes and statuses for our errors. */
const CODES: Readonly<Partial<Record<ErrorType, readonly [code: string, status?: number]>>> = {
  ValidationError: ['BAD_REQUEST'],
  AuthenticationError: ['UNAUTHORIZED', 401],
  TimeoutError: ['SCRAPE_TIMEOUT', 408],
  NavigationError: ['SCRAPE_ALL_ENGINES_FAILED'],
  ActionFailedError: ['SCRAPE_ACTION_ERROR'],
};

/** Converts an error of ours to Firecrawl's form. */
export function asFirecrawlError({
  error_type: type,
  message,
  error_details: details,
}: ErrorBody): ReturnType<ErrorForm> {
  const [, status] = CODES[type] ?? [];
  const { code, text } = inTheirWords(type, message, details);
  return { ...(status !== undefined && { status }), body: { success: false, code, error: text } };
}

/** Returns code and text of an error, with Firecrawl's names of fields. */
export function inTheirWords(
  type: ErrorType,
  message: string,
  details: string | undefined,
): { readonly code: string; readonly text: string } {
  const [code = type] = CODES[type] ?? [];
  const [, place = '', problem = details] = /^captures(\[\d+\])(?:: )?([^]*)$/.exec(details ?? '') ?? [];
  const words = [place && `urls${place}`, theirWords(problem ?? '', SCRAPE_OPTIONS)].filter((each) => each !== '');
  return { code, text: [message, ...words].join(': ') };
}

const NO_CRAWL = 'pages are not followed; /map lists the links of a page, and /batch/scrape takes up to 100 of them';
const NO_MODEL = 'no language model reads pages; formats may have markdown, html and links';
/** What Firecrawl has and this service does not, by the first part of the path. */
const REFUSED: Readonly<Record<string, string>> = {
  crawl: NO_CRAWL,
  search: 'the web is not searched; /scrape takes the address of a page',
  extract: NO_MODEL,
  'deep-research': NO_MODEL,
  llmstxt: NO_MODEL,
  agent: NO_MODEL,
};

/** Answers paths of Firecrawl that this service does not have. */
export const refuseTheirPath: RequestHandler = ({ params }) => {
  const [part = ''] = [params['rest'] ?? []].flat();
  const details = (Object.hasOwn(REFUSED, part) ? REFUSED[part] : undefined) ?? 'see /guides/coming-from';
  throw new ServiceError('NotFoundError', 'The service does not have this part of Firecrawl', { details });
};
