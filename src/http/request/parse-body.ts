import type { z } from 'zod';
import { fieldPath, validationError } from '../../errors.ts';

const MOST_ISSUES = 10;
const MAX_SHOWN_NAME = 64;

/**
 * Validates a JSON body by its schema. Capture fields are validated by `parseOptions`.
 * @throws ServiceError ValidationError that names the problem
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  throw validationError(error.issues.slice(0, MOST_ISSUES).map(describeIssue).join('; '), error);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${key.slice(0, MAX_SHOWN_NAME)}: is not a known field`).join('; ');
  return issue.path.length === 0 ? issue.message : `${fieldPath(issue.path)}: ${issue.message}`;
}
