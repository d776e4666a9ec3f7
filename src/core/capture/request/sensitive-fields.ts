import { validationError } from '../../ground/errors.ts';
import type { RequestOptions } from './options.ts';

/**
 * Fields that contain secrets or code, or that write. Browsers keep links, and proxies and servers log them; a link
 * with `store` would write at each visit. So the operator must allow these fields in signed links.
 */
export const SENSITIVE_FIELDS = [
  'custom_headers',
  'cookies',
  'http_auth',
  'init_script',
  'storage_state',
  'custom_js',
  'wait_for_function',
  'actions',
  'store',
  'store_path',
] as const;
/** Secrets that are for the reader of the document, so no operator can allow them in links. */
export const NEVER_IN_LINKS = ['pdf_password', 'pdf_owner_password'] as const;

/**
 * Refuses a signed link whose answer has the log-in state of the page: it would be that of all who see the link.
 * @throws ServiceError ValidationError
 */
export function checkSignedAnswer({ include }: { readonly include?: readonly string[] | undefined }): void {
  if (include?.includes('storage_state') === true)
    throw validationError('include: storage_state is not accepted in a signed URL');
}

/**
 * Returns the options of a signed request. It stores only if it names `store` itself: a default or a template would
 * store at each visit of the link.
 * @throws ServiceError ValidationError for a log-in state
 */
export function optionsOfLink(
  options: RequestOptions,
  named: { readonly has: (name: string) => boolean },
): RequestOptions {
  checkSignedAnswer(options.capture);
  const { delivery } = options;
  return delivery.store && !named.has('store') ? { ...options, delivery: { ...delivery, store: false } } : options;
}

export type SensitiveField = (typeof SENSITIVE_FIELDS)[number];

/**
 * Refuses sensitive fields in a signed query unless SIGNED_URL_ALLOW names them.
 * @throws ServiceError ValidationError that names the refused fields
 */
export function checkSignedFields(
  query: { readonly has: (name: string) => boolean },
  allowed: readonly SensitiveField[],
): void {
  const never = NEVER_IN_LINKS.filter((field) => query.has(field));
  if (never.length > 0)
    throw validationError(never.map((field) => `${field}: is not accepted in a signed URL`).join('; '));
  const refused = SENSITIVE_FIELDS.filter((field) => query.has(field) && !allowed.includes(field));
  if (refused.length === 0) return;
  throw validationError(
    refused.map((field) => `${field}: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it`).join('; '),
  );
}
