const MAX_MS = 86_400_000; // a day, after which webhooks are not retried

/** Returns the delay of a Retry-After header in milliseconds, at most a day (RFC 9110 section 10.2.3). Undefined if it is invalid. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  // Accepts only the date format of HTTP, because Date.parse accepts almost anything.
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_MS);
}
