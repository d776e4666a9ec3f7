import { z } from 'zod';
import type { RequestedAddresses } from '../../../core/capture/check-destination.ts';
import { webAddressField } from '../../../core/steps/common/fields.ts';
import { readLogin, withoutLogin } from '../../../core/egress/url-login.ts';
import { ServiceError, validationError } from '../../../core/ground/errors.ts';
import { createJobId } from '../job-id.ts';
import { namespacedPath } from '../../../core/access/owners.ts';
import type { NewJob } from '../job.ts';
import { MAX_BATCH } from '../job-limits.ts';
import { isStoredPath, PATH_FORM } from '../../../core/capture/request/result-path.ts';
import { checkDeniedFields, type FieldRules, type ParseFields } from '../../../core/capture/request/request-parser.ts';
import { named, withName } from '../../../core/ground/named.ts';
import { parseBody } from '../../../core/http/request/read-body.ts';

const fields = z.record(z.string(), z.unknown(), { error: 'must be an object with the fields of a capture' });

export const webhookField = webAddressField({
  description: 'URL to which the finished job is sent by POST. Needs the setting `WEBHOOK_SECRET`',
  example: 'https://app.example.com/hooks/captures',
})
  .refine(hasSendableLogin, { error: 'must percent-encode its user name and password' })
  .optional();

const MAX_LABEL_LENGTH = 200;
const LABEL_FORM = `must be a text of 1 to ${MAX_LABEL_LENGTH} characters on one line`;

export const labelField = z
  .string({ error: LABEL_FORM })
  .regex(new RegExp(`^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]{1,${MAX_LABEL_LENGTH}}$`, 'u'), {
    error: LABEL_FORM,
  })
  .meta({
    description: 'Name for people who look through a list of jobs. Default: host and path of the page',
    examples: ['Report for November'],
  })
  .optional();

/** Schema of the body of `POST /jobs`. */
export const jobRequest = z.strictObject(
  {
    capture: fields.meta({ description: 'The fields of the capture' }),
    label: labelField,
    webhook_url: webhookField,
    store_path: z
      .string({ error: `must be ${PATH_FORM}` })
      .refine(isStoredPath, { error: `must be ${PATH_FORM}` })
      .meta({
        description: 'Path in the storage, where the result outlives the job',
        examples: ['reports/2026-11.pdf'],
      })
      .optional(),
  },
  { error: 'The request must be a JSON object with capture and, optionally, label, webhook_url and store_path' },
);

const CAPTURES_FORM = `must be a list of 1 to ${MAX_BATCH} objects with the fields of a capture, or with capture and label`;

/** A capture of a batch with a label of its own. No field of a capture has the name of either. */
const labelled = z.strictObject(
  { capture: fields, label: labelField },
  { error: 'must be an object with capture and, optionally, label' },
);

/** Schema of the body of `POST /jobs/batch`. */
export const batchRequest = z.strictObject(
  {
    defaults: fields.meta({ description: 'Default fields of all captures' }).optional(),
    captures: z
      .array(fields, { error: CAPTURES_FORM })
      .min(1, { error: CAPTURES_FORM })
      .max(MAX_BATCH, { error: CAPTURES_FORM })
      .meta({ description: 'The fields of each capture; or `capture`, the fields, and `label`' }),
    label: labelField,
    webhook_url: webhookField,
  },
  { error: 'The request must be a JSON object with captures and, optionally, defaults, label and webhook_url' },
);

interface JobRules {
  readonly parseFields: ParseFields;
  /** Rules of the key of the request. */
  readonly key: FieldRules | undefined;
  /** True if there is a secret to sign webhooks. */
  readonly hasWebhooks: boolean;
  /** @throws ServiceError DestinationNotAllowedError */
  readonly checkAddresses: (requested: RequestedAddresses) => Promise<void>;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  readonly origin: string;
  /** The span of the request. Undefined: not traced. */
  readonly traceparent: string | undefined;
  /** Id of the key that submits the jobs. */
  readonly owner: string;
  /** Maximum size of a body, and of a batch whose captures each include the defaults. */
  readonly maxBodyBytes: number;
  /** True: webhooks carry the address of the page. */
  readonly namesPages: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the jobs of a body: one job, or the jobs of a batch. Refuses the same requests as `POST /capture`.
 * @throws ServiceError ValidationError, FieldNotAllowedError, DestinationNotAllowedError, ResultTooLargeError,
 * PayloadTooLargeError
 */
export async function readNewJobs(body: unknown, kind: 'one' | 'batch', rules: JobRules): Promise<readonly NewJob[]> {
  const { captures, webhookUrl, storePath } = kind === 'one' ? readOne(body) : readBatch(body, rules);
  if (webhookUrl !== undefined && !rules.hasWebhooks) {
    throw validationError('webhook_url: needs the setting WEBHOOK_SECRET');
  }
  if (webhookUrl !== undefined) await named('webhook_url', () => rules.checkAddresses({ url: webhookUrl }));
  const { origin, owner, nowMs, parseFields, key, traceparent } = rules;
  // The job's `store_path` has the effect of these two fields of a capture, so a key without them may not use it.
  if (key !== undefined && storePath !== undefined) {
    checkDeniedFields({ store: true, store_path: storePath }, key);
  }
  const jobs: NewJob[] = [];
  for (const [index, { capture, label }] of captures.entries()) {
    await named(kind === 'one' ? 'capture' : `captures[${index}]`, async () => {
      rules.signal.throwIfAborted(); // no client waits for the checks of a hundred captures
      const options = await parseFields(capture, { key, checksOnly: true });
      await rules.checkAddresses(options.capture);
      const { store_path: ownPath = storePath } = options.delivery;
      if (storePath !== undefined && ownPath !== storePath) {
        throw validationError('store_path: differs from the store_path of the job');
      }
      const place = ownPath === undefined ? undefined : namespacedPath(owner, ownPath);
      const id = createJobId(nowMs);
      const { name, pageUrl } = pageOf(capture);
      const job = { id, owner, capture, label: label ?? name, webhookUrl, storePath: place, origin, traceparent };
      jobs.push(rules.namesPages ? { ...job, pageUrl } : job);
    });
  }
  return jobs;
}

/** Returns the default label of a capture: host and path of its page, or its template. */
export function nameOfCapture(capture: Readonly<Record<string, unknown>>): string | undefined {
  return pageOf(capture).name;
}

/** Returns the name of a page without its query and log-in, which may be secret, and its address without the log-in. */
function pageOf({ url, template }: Readonly<Record<string, unknown>>): {
  readonly name?: string | undefined;
  readonly pageUrl?: string;
} {
  const address = typeof url === 'string' ? url : '';
  const page = URL.parse(address);
  if (page === null)
    return { name: typeof template === 'string' ? `template ${template}`.slice(0, MAX_LABEL_LENGTH) : undefined };
  const name = `${page.host}${page.pathname}`.replace(/\/$/, '').slice(0, MAX_LABEL_LENGTH);
  return { name, pageUrl: withoutLogin(address) };
}

interface RequestedJobs {
  readonly captures: readonly {
    readonly capture: Readonly<Record<string, unknown>>;
    readonly label?: string | undefined;
  }[];
  readonly webhookUrl: string | undefined;
  readonly storePath?: string | undefined;
}

function readOne(body: unknown): RequestedJobs {
  const { capture, label, webhook_url: webhookUrl, store_path: storePath } = parseBody(jobRequest, body);
  return { captures: [{ capture, label }], webhookUrl, storePath };
}

function readBatch(body: unknown, { maxBodyBytes }: Pick<JobRules, 'maxBodyBytes'>): RequestedJobs {
  const { defaults = {}, captures, label, webhook_url: webhookUrl } = parseBody(batchRequest, body);
  // A hundred copies of the markup would be stored: 900 MB, which blocked the process for five seconds (2026-11-22).
  const commonBytes = Buffer.byteLength(JSON.stringify(defaults)) * captures.length;
  if (commonBytes > maxBodyBytes) {
    throw new ServiceError('PayloadTooLargeError', 'The captures of the batch are too large in total', {
      details: `defaults: come to ${commonBytes} bytes in ${captures.length} captures, of at most ${maxBodyBytes}`,
    });
  }
  return {
    captures: captures.map((given, index) => {
      if (!('capture' in given || 'label' in given)) return { capture: { ...defaults, ...given }, label };
      const { capture, label: own = label } = readLabelled(given, index);
      return { capture: { ...defaults, ...capture }, label: own };
    }),
    webhookUrl,
  };
}

function readLabelled(given: unknown, index: number): z.output<typeof labelled> {
  try {
    return parseBody(labelled, given);
  } catch (error) {
    throw withName(`captures[${index}]`, error);
  }
}

/** Stricter than for `url`: the sender decodes user name and password, while browsers accept any text there. */
function hasSendableLogin(address: string): boolean {
  const url = URL.parse(address);
  return url === null || readLogin(url) !== 'malformed';
}
