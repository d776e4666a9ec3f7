import { CaptureError, UnexpectedAnswerError } from './capture-error.ts';
import { ERROR_CLASSES } from './service-errors.ts';

/** The error that an answer with a status other than 2xx stands for. Reads its body. */
export async function readError(response: Response): Promise<CaptureError> {
  const body = asObject(parseJson(await response.text()));
  const errorType = asText(body['error_type']);
  const requestId = asText(body['request_id']) ?? response.headers.get('x-request-id') ?? undefined;
  const retryAfter = asSeconds(body['retry_after'] ?? response.headers.get('retry-after'));
  if (errorType === undefined) return new UnexpectedAnswerError(response.status, { requestId, retryAfter });

  // A service that is newer than this client may have more types.
  const ErrorClass = isKnown(errorType) ? ERROR_CLASSES[errorType] : CaptureError;
  return new ErrorClass(asText(body['message']) ?? errorType, {
    errorType,
    status: response.status,
    requestId,
    details: asText(body['error_details']),
    retryAfter,
  });
}

function isKnown(errorType: string): errorType is keyof typeof ERROR_CLASSES {
  return Object.hasOwn(ERROR_CLASSES, errorType);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Undefined for the other form of Retry-After, a date: the service never sends it. */
function asSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
}
