import type { Logger } from '../../core/ground/log.ts';
import type { Tracer } from '../../core/ground/tracer.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the tracing that the standard `OTEL_*` variables request. Undefined: they do not, and nothing is loaded.
 * @throws Error with a message for the operator if a variable has a value that is not supported
 */
export async function openTracer(
  environment: Environment,
  service: { readonly version: string; readonly log: Logger },
): Promise<Tracer | undefined> {
  const value = (name: string): string => environment[`OTEL_${name}`]?.trim() ?? '';
  const isOn =
    value('EXPORTER_OTLP_ENDPOINT') + value('EXPORTER_OTLP_TRACES_ENDPOINT') !== '' &&
    value('SDK_DISABLED').toLowerCase() !== 'true' &&
    value('TRACES_EXPORTER') !== 'none';
  if (!isOn) return undefined;
  const { createTracer } = await import('./open-telemetry.ts');
  return createTracer(environment, service);
}
