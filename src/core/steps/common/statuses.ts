import { z } from 'zod';

const MAX_STATUSES = 50;
const ERROR = `must be a list of 1 to ${MAX_STATUSES} statuses or classes, such as ["404", "5xx"]`;

/** A field for statuses of HTTP and their classes. */
export function statusesField(documented: { readonly description: string; readonly example: readonly string[] }) {
  return z
    .array(z.string({ error: ERROR }).regex(/^[1-5](?:\d\d|xx)$/, { error: ERROR }), { error: ERROR })
    .min(1, { error: ERROR })
    .max(MAX_STATUSES, { error: ERROR })
    .meta({ ...documented, accepts: `list of 1 to ${MAX_STATUSES} statuses or classes` })
    .optional();
}

/** True if the list has the status or its class. */
export function hasStatus(statuses: readonly string[], status: number): boolean {
  const text = `${status}`;
  return statuses.includes(text) || statuses.includes(`${text[0]}xx`);
}
