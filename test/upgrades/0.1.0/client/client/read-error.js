import { CaptureError, UnexpectedAnswerError } from './capture-error.js';
import { ERROR_CLASSES } from './service-errors.js';
/** Reads an answer with an error status. Returns its error. */
export async function readError(response) {
    const body = asObject(parseJson(await response.text()));
    const errorType = asText(body['error_type']);
    const requestId = asText(body['request_id']) ?? response.headers.get('x-request-id') ?? undefined;
    const retryAfter = asSeconds(body['retry_after'] ?? response.headers.get('retry-after'));
    if (errorType === undefined)
        return new UnexpectedAnswerError(response.status, { requestId, retryAfter });
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
function isKnown(errorType) {
    return Object.hasOwn(ERROR_CLASSES, errorType);
}
function parseJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined; // probably a page of a proxy
    }
}
function asObject(value) {
    return typeof value === 'object' && value !== null ? { ...value } : {};
}
function asText(value) {
    return typeof value === 'string' ? value : undefined;
}
/** Undefined if Retry-After is a date. The service never sends one. */
function asSeconds(value) {
    const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
    return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
}
