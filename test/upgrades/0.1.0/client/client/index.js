// Public exports of `capture-service/client`.
export { CaptureError, ClientTimeoutError, ConnectionError, UnexpectedAnswerError } from './capture-error.js';
export { createCaptureClient, } from './client.js';
export * from './service-errors.js';
export { signUrl } from './sign-url.js';
