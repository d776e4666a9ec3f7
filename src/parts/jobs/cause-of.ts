import type { SpanStart } from '../../core/ground/tracer.ts';

/**
 * Returns the place of an attempt in the trace of the request that submitted its job: the first attempt belongs to it,
 * the later ones are only linked, because they can come hours later.
 */
export function causeOf({
  attempts,
  traceparent,
}: {
  readonly attempts: number;
  readonly traceparent?: string | undefined;
}): Pick<SpanStart, 'parent' | 'link'> {
  return attempts > 1 ? { link: traceparent } : { parent: traceparent };
}
