import { validationError } from '../../errors.ts';

/**
 * Fields that carry secrets or code, or that write. The query of a link is read by others: browsers keep it, proxies and servers log
 * it, and each time that it is followed it would write anew. So a signed link may hold them only where the operator says so.
 */
export const SENSITIVE_FIELDS = [
  'custom_headers',
  'cookies',
  'http_auth',
  'custom_js',
  'wait_for_function',
  'actions',
  'store',
  'store_path',
] as const;
export type SensitiveField = (typeof SENSITIVE_FIELDS)[number];

/**
 * Holds the fields of a signed query to what the setting SIGNED_URL_ALLOW names.
 * @throws ServiceError ValidationError naming those that it does not.
 */
export function checkSignedFields(
  query: { readonly has: (name: string) => boolean },
  allowed: readonly SensitiveField[],
): void {
  const refused = SENSITIVE_FIELDS.filter((field) => query.has(field) && !allowed.includes(field));
  if (refused.length === 0) return;
  throw validationError(
    refused
      .map((field) => `${field}: is not accepted in a signed URL unless SIGNED_URL_ALLOW names it`)
      .join('; '),
  );
}
