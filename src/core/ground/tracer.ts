import { ServiceError } from './errors.ts';

/** Attributes of a span. They carry no query strings, headers, tokens or data of templates. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

interface Times {
  /** Milliseconds as of `performance.now()`. */
  readonly startMs: number;
  /** Default: now. */
  readonly endMs?: number;
}

/** A piece of work in a trace. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Value of the header `traceparent` that names this span as the parent. */
  readonly traceparent: string;
  /** Adds a part of the work that has ended. `error` is its error type, if it has failed. */
  readonly add: (name: string, times: Times, error?: string) => void;
  /** Ends the work. */
  readonly end: (end: SpanEnd) => void;
}

interface SpanEnd {
  /** Replaces the name of the start. */
  readonly name?: string;
  readonly attributes: Attributes;
  /** Error type, if the work has failed. */
  readonly error?: string | undefined;
}

export interface SpanStart {
  readonly kind: 'server' | 'consumer' | 'producer';
  /** `traceparent` of the cause, whose trace goes on. An invalid one counts as none. */
  readonly parent?: string | undefined;
  /** `tracestate` beside it. */
  readonly state?: string | undefined;
  /** `traceparent` of a cause whose trace does not go on. */
  readonly link?: string | undefined;
}

/** Starts spans, and sends those that have ended. */
export interface Tracer {
  readonly start: (name: string, start: SpanStart) => Span;
  /** Sends what is left, for at most a second. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Runs work as a part of a span. */
export async function traced<T>(span: Pick<Span, 'add'> | undefined, name: string, work: () => Promise<T>): Promise<T> {
  if (span === undefined) return await work();
  const startMs = performance.now();
  try {
    const result = await work();
    span.add(name, { startMs });
    return result;
  } catch (error) {
    span.add(name, { startMs }, errorTypeOf(error));
    throw error;
  }
}

/** The error type that a trace shows. */
export function errorTypeOf(error: unknown): string {
  return error instanceof ServiceError ? error.type : 'InternalServerError';
}
