import { CaptureError, UnexpectedAnswerError } from './capture-error.ts';
import { asObject, asText, readJson } from './json.ts';
import { ERROR_CLASSES } from './service-errors.ts';

/** Reads an answer with an error status. Returns its error. */
export async function readError(response: Response): Promise<CaptureError> {
  if (response.type === 'opaqueredirect' || (response.status < 400 && response.headers.has('location'))) {
    return new UnexpectedAnswerError(response.status, { redirectsTo: response.headers.get('location') ?? '' });
  }
  const body = asObject(await readJson(response).catch(ignoreOtherAnswers));
  const errorType = asText(body['error_type']);
  const requestId = asText(body['request_id']) ?? response.headers.get('x-request-id') ?? undefined;
  const retryAfter = asSeconds(body['retry_after'] ?? response.headers.get('retry-after'));
  if (errorType === undefined) return new UnexpectedAnswerError(response.status, { requestId, retryAfter });

  // A newer service may have more types than this client.
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

/** The caller has more facts about an answer that is not from the service. */
function ignoreOtherAnswers(error: unknown): undefined {
  if (!(error instanceof UnexpectedAnswerError)) throw error;
}

/** Undefined if Retry-After is a date. The service never sends one. */
function asSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
}
