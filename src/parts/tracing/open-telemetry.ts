import { type Context, isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../../core/ground/log.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';
import type { Span, Tracer } from '../../core/ground/tracer.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum time that the end of the service waits for unsent spans. */
const CLOSE_LIMIT_MS = 800;
/** Minimum time between two log lines about failures of a collector. */
const LOG_EVERY_MS = 60_000;
const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, producer: SpanKind.PRODUCER } as const;

/**
 * Creates the tracing by the packages of OpenTelemetry. They read the variables of the exporter and of the resource
 * from the environment of the process.
 * @throws Error with a message for the operator
 */
export function createTracer(
  environment: Environment,
  { version, log }: { readonly version: string; readonly log: Logger },
): Tracer {
  const value = (name: string): string | undefined => environment[`OTEL_${name}`]?.trim() || undefined;
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'capture-service', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(value),
    spanProcessors: [new BatchSpanProcessor({ exporter: createExporter(value), ...batchOf(value) })],
    spanLimits: { attributeValueLengthLimit: 1_024 },
  });
  setGlobalErrorHandler(createFailureLog(log));
  const tracer = provider.getTracer('capture-service', version);

  return {
    start: (name, { kind, parent, state, link }) => {
      const linked = trace.getSpanContext(contextOf(link));
      const originMs = Date.now() - performance.now();
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], startTime: originMs + performance.now(), ...(linked && { links: [{ context: linked }] }) },
        contextOf(parent, state),
      );
      return wrap(span, originMs);
    },
    close: async () => {
      await withTimeout(provider.shutdown(), CLOSE_LIMIT_MS, () => new Error('spans were left')).catch(
        (error: unknown) => log.warn({ err: error }, 'the last spans were not sent'),
      );
    },
  };

  /**
   * @param originMs Unix time at which `performance.now()` was 0. A span and its parts share one: the library reads the
   *   clock for each span, in whole milliseconds, and a part could begin before the part that it follows.
   */
  function wrap(span: ReturnType<typeof tracer.startSpan>, originMs: number): Span {
    const { traceId, spanId, traceFlags } = span.spanContext();
    const own = trace.setSpan(ROOT_CONTEXT, span);
    const fail = (failed: typeof span, error: string | undefined): void => {
      if (error === undefined) return;
      failed.setAttribute('error.type', error);
      failed.setStatus({ code: SpanStatusCode.ERROR });
    };
    return {
      traceId,
      traceparent: `00-${traceId}-${spanId}-0${traceFlags.toString(16)}`,
      add: (name, { startMs, endMs = performance.now() }, error) => {
        const child = tracer.startSpan(name, { startTime: originMs + startMs }, own);
        fail(child, error);
        child.end(originMs + endMs);
      },
      end: ({ name, attributes, error }) => {
        if (name !== undefined) span.updateName(name);
        for (const [name, given] of Object.entries(attributes)) if (given !== undefined) span.setAttribute(name, given);
        fail(span, error);
        span.end(originMs + performance.now());
      },
    };
  }
}

const propagator = new W3CTraceContextPropagator();

/** The context of a cause in another process. It is untrusted: an invalid one is left out. */
function contextOf(traceparent: string | undefined, tracestate?: string): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const context = propagator.extract(
    ROOT_CONTEXT,
    { traceparent, ...(tracestate !== undefined && { tracestate }) },
    {
      get: (carrier: Readonly<Record<string, string>>, key) => carrier[key],
      keys: (carrier) => Object.keys(carrier),
    },
  );
  const cause = trace.getSpanContext(context);
  return cause !== undefined && isSpanContextValid(cause) ? context : ROOT_CONTEXT;
}

type Read = (name: string) => string | undefined;

function createExporter(value: Read): SpanExporter {
  const kind = value('TRACES_EXPORTER') ?? 'otlp';
  if (kind !== 'otlp') throw new Error(`OTEL_TRACES_EXPORTER: must be otlp or none, not ${kind}`);
  const protocol = value('EXPORTER_OTLP_TRACES_PROTOCOL') ?? value('EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  if (protocol === 'http/protobuf') return new ProtobufExporter();
  if (protocol === 'http/json') return new JsonExporter();
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json, not ${protocol}`);
}

function samplerOf(value: Read): Sampler {
  const name = value('TRACES_SAMPLER') ?? 'parentbased_always_on';
  const argument = value('TRACES_SAMPLER_ARG');
  const ratio = Number(argument ?? 1);
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  if (!(ratio >= 0 && ratio <= 1)) throw new Error(`OTEL_TRACES_SAMPLER_ARG: must be from 0 to 1, not ${argument}`);
  const root = roots[name.replace(/^parentbased_/, '')]?.();
  if (root === undefined)
    throw new Error(
      `OTEL_TRACES_SAMPLER: must be one of ${Object.keys(roots).join(', ')}, or one of them with parentbased_ before it, not ${name}`,
    );
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Reads the variables of the batch processor. A value that is no positive number counts as unset. */
function batchOf(value: Read): Partial<Record<(typeof BATCH)[number][1], number>> {
  const given = BATCH.map(([name, option]) => [option, Number(value(name))] as const);
  return Object.fromEntries(given.filter(([, number]) => number > 0));
}

const BATCH = [
  ['BSP_SCHEDULE_DELAY', 'scheduledDelayMillis'],
  ['BSP_EXPORT_TIMEOUT', 'exportTimeoutMillis'],
  ['BSP_MAX_QUEUE_SIZE', 'maxQueueSize'],
  ['BSP_MAX_EXPORT_BATCH_SIZE', 'maxExportBatchSize'],
] as const;

/** A collector that is away fails with each batch: it is logged once a minute. */
function createFailureLog(log: Logger): (error: unknown) => void {
  let loggedAt = -Infinity;
  return (error) => {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn({ err: error }, 'spans could not be sent to the collector');
  };
}
