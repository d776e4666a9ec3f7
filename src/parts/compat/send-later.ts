import { traced } from '../../core/ground/tracer.ts';
import type { Request, RequestHandler } from 'express';
import { answerKind } from '../../core/capture/answer.ts';
import { deliveryHeaders } from '../../core/capture/request/delivery.ts';
import type { RequestOptions } from '../../core/capture/request/options.ts';
import { ServiceError, validationError } from '../../core/ground/errors.ts';
import { createJobId } from '../jobs/job-id.ts';
import { ownerOf } from '../../core/access/key.ts';
import type { CompatSettings } from './compat-setting.ts';
import type { JobsState } from '../jobs/jobs.ts';
import { parseJson } from '../../core/ground/parse-json.ts';
import type { StorageState } from '../storage/storage.ts';
import type { UsageState } from '../usage/usage.ts';
import type { WebhookState } from '../webhooks/webhook.ts';
import {
  addressOfFileWebhook,
  errorMessage,
  type FileWebhook,
  fileMessage,
  fileWebhook,
} from '../webhooks/file-webhook.ts';
import { ownAddress } from '../../core/http/request/own-address.ts';
import { contextOf, type RequestContext } from '../../core/http/request/request-context.ts';
import { checkRight } from '../../core/http/request/rights.ts';
import type { Core } from '../../core/http/routes/route.ts';
import type { Fields } from './convert-options.ts';

const NEVER = new AbortController().signal;

/** Names of the headers with a webhook. */
type WebhookHeaders = Readonly<Record<'url' | 'errorUrl' | 'method' | 'errorMethod' | 'headers', string>>;

/** A capture whose result is sent to a webhook. */
interface Later {
  /** Capture fields under our names. */
  readonly fields: Fields;
  readonly requested: RequestOptions;
  readonly webhook: FileWebhook;
}

/**
 * Reads a webhook from the headers of a request.
 * @param own members that the service adds
 * @throws ServiceError ValidationError, which names the header
 */
export function readWebhook(
  request: Request,
  names: WebhookHeaders,
  own: Pick<FileWebhook, 'headers' | 'statuses'>,
): FileWebhook {
  const header = request.get(names.headers);
  const { success, data, error } = fileWebhook.safeParse({
    statuses: own.statuses,
    url: request.get(names.url),
    errorUrl: request.get(names.errorUrl),
    method: request.get(names.method)?.toUpperCase(),
    errorMethod: request.get(names.errorMethod)?.toUpperCase(),
    ...(header !== undefined && { headers: parseJson(header) ?? null }),
  });
  if (success) return { ...data, headers: { ...data.headers, ...own.headers } };
  const [issue] = error.issues;
  const member = Object.entries(names).find(([name]) => name === issue?.path[0]);
  throw validationError(`${member?.[1]}: ${issue?.message}`);
}

/** What these interfaces need besides the core. */
export type CompatState = JobsState & UsageState & StorageState & WebhookState & { readonly config: CompatSettings };

export type LaterOptions = JobsState &
  UsageState &
  WebhookState &
  Pick<Core, 'checkAddresses' | 'now' | 'budgets' | 'countAsRunning' | 'capture'>;

/**
 * Creates the function that accepts a capture, answers 204, and sends the file or the error to a webhook: as a job if
 * there are jobs, otherwise once, from memory.
 */
export function createSendLater(options: LaterOptions) {
  return async (request: Request, response: Parameters<RequestHandler>[1], later: Later): Promise<void> => {
    const context = contextOf(response);
    const { key } = context;
    checkRight(key, 'jobs');
    for (const url of [later.webhook.url, later.webhook.errorUrl]) await options.checkAddresses({ url }, key);
    await options.checkAddresses(later.requested.capture, key);
    await options.usage?.refuseOver(key, 1);
    if ('missing' in options.jobs) captureFromMemory(options, later, context);
    else {
      const id = createJobId(options.now() * 1_000);
      const webhookUrl = addressOfFileWebhook(later.webhook);
      const origin = ownAddress(request);
      const job = { id, owner: ownerOf(key), capture: later.fields, webhookUrl, origin };
      await options.jobs.store.submit([{ ...job, traceparent: context.span?.traceparent }]);
      if (key !== undefined) options.usage?.count(key.id, { jobs: 1 });
    }
    response.status(204).end();
  };
}

/** @throws ServiceError OverloadedError if the body does not fit into the memory */
function captureFromMemory(options: LaterOptions, later: Later, context: RequestContext): void {
  const { budgets, countAsRunning } = options;
  const { client, log } = context;
  const bytes = JSON.stringify(later.fields).length;
  if (!budgets.bodies.take(bytes, client)) throw new ServiceError('OverloadedError');
  countAsRunning(() => captureAndSend(options, later, context))
    .catch((error: unknown) => log.warn({ err: error }, 'a webhook could not be sent'))
    .finally(() => budgets.bodies.give(bytes, client));
}

async function captureAndSend(
  { capture, deliver, budgets: { answers } }: LaterOptions,
  { requested, webhook }: Later,
  { id, client, key, log, span }: RequestContext,
): Promise<void> {
  const to = { id: `request_${id}`, egressAllow: key?.egressAllow };
  let held = 0;
  try {
    const { file } = await capture(requested.capture, { id, client, key, log, span, signal: NEVER });
    if (!answers.take(file.length, client)) throw new ServiceError('OverloadedError');
    held = file.length;
    const kind = answerKind({ ...requested.capture, response_type: 'file' });
    const headers = { 'Content-Type': kind.mimeType, ...deliveryHeaders(requested.delivery, kind) };
    await traced(span, 'webhook', () => deliver({ ...to, ...fileMessage(webhook, file, headers) }, NEVER));
  } catch (error) {
    const known = error instanceof ServiceError ? error : new ServiceError('InternalServerError');
    if (known !== error) log.error({ err: error }, 'unexpected failure');
    await traced(span, 'webhook', () => deliver({ ...to, ...errorMessage(webhook, known) }, NEVER));
  } finally {
    answers.give(held, client);
  }
}
