// Public exports of `capture-service/client`.
export { CaptureError, ClientTimeoutError, ConnectionError, UnexpectedAnswerError } from './capture-error.ts';
export type * from './capture-data.ts';
export type { CaptureFacts } from './capture-facts.ts';
export type { CaptureFields } from './capture-fields.ts';
export {
  type CallOptions,
  type CaptureClient,
  type CaptureResult,
  type CaptureStream,
  type ClientOptions,
  createCaptureClient,
  type DataResult,
} from './client.ts';
export type { CaptureRequest } from './files.ts';
export type { CaptureJob, JobOptions, JobState } from './jobs.ts';
export * from './service-errors.ts';
export { signUrl, type SignOptions } from './sign-url.ts';
