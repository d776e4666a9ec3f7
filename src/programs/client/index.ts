// Public exports of `capture-service-client`.
export type { CallOptions, ClientOptions } from './calls.ts';
export { CaptureError, ClientTimeoutError, ConnectionError, UnexpectedAnswerError } from './capture-error.ts';
export type * from './capture-data.ts';
export type { CaptureFacts, Timings } from './capture-facts.ts';
export type { CaptureFields } from './capture-fields.ts';
export type { CaptureRequest } from './capture-request.ts';
export type { CaptureResult, CaptureStream, DataResult, SignedLink } from './capture-result.ts';
export { type CaptureClient, createCaptureClient } from './client.ts';
export type { CaptureJob, JobOptions, JobState, LabelledCapture } from './job-data.ts';
export * from './service-errors.ts';
export type * from './service-names.ts';
export { verifyWebhook, WebhookError, type WebhookHeaders, type WebhookOptions } from './verify-webhook.ts';
export { signUrl, type SignOptions } from './sign-url.ts';
