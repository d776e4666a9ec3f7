import { z } from 'zod';
import type { RequestedAddresses } from '../../../core/capture/check-destination.ts';
import { canonicalTimeZone, isTimeZone } from '../../../core/browser/locale.ts';
import type { FieldRules, Fields, ParseFields } from '../../../core/capture/request/request-parser.ts';
import { validationError } from '../../../core/ground/errors.ts';
import { named } from '../../../core/ground/named.ts';
import { parseBody } from '../../../core/http/request/read-body.ts';
import { compareRequest } from '../../compare/routes/compare-request.ts';
import { labelField, nameOfCapture, webhookField } from '../../jobs/routes/job-requests.ts';
import { checkSchedule, parseSchedule, SCHEDULE_FORM } from '../schedule.ts';
import { captureFieldsOf, checkWatchedCapture, TIDY_FIELDS } from '../watch-capture.ts';
import type { Watch, WatchFields } from '../watch.ts';

/** Most bytes of a body: thousands of watches are kept, and listed in pages. */
export const MAX_WATCH_BYTES = 262_144;
const MAX_SCHEDULE_LENGTH = 200;

const ratio = (description: string, initial: number) =>
  z
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, { error: 'must be a number from 0 to 1' })
    .max(1, { error: 'must be a number from 0 to 1' })
    .default(initial)
    .meta({ description });

const count = (range: readonly [least: number, most: number], description: string) => {
  const error = `must be an integer from ${range[0]} to ${range[1]}`;
  return z.int({ error }).min(range[0], { error }).max(range[1], { error }).meta({ description });
};

const compareField = z
  .strictObject(
    {
      ignore: compareRequest.shape.ignore,
      threshold: compareRequest.shape.threshold,
      min_ratio: ratio('Least part of the picture, or of the lines, that must differ', 0),
    },
    { error: 'must be an object with ignore, threshold and min_ratio, or null' },
  )
  .nullable();

/** Fields of a watch, without their defaults. */
const fields = {
  capture: z
    .record(z.string(), z.unknown(), { error: 'must be an object with the fields of a capture' })
    .meta({ description: 'The fields of the capture. `store_path` may contain `{date}` and `{time}` of the run' }),
  schedule: z
    .string({ error: SCHEDULE_FORM })
    .max(MAX_SCHEDULE_LENGTH, { error: SCHEDULE_FORM })
    .meta({
      description: 'When runs begin: five fields of cron, or `every N seconds|minutes|hours|days`',
      examples: ['0 9 * * 1-5'],
    }),
  timezone: z
    .string({ error: 'must be an IANA time zone, such as Europe/Berlin' })
    .refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' })
    .meta({ description: 'Time zone of the schedule, by its IANA name', examples: ['Europe/Berlin'] }),
  compare: compareField.meta({ description: 'How runs are compared. `null`: each run is kept, and none is compared' }),
  confirm: count([1, 3], 'Captures that must show the same change before it is told. They are made at once'),
  notify: z.enum(['changed', 'always'], { error: 'must be changed or always' }).meta({
    description: '`changed` sends changes, and once that the watch was paused; `always` sends every run',
  }),
  baseline: z.enum(['told', 'accepted'], { error: 'must be told or accepted' }).meta({
    description: 'What runs are compared with: the newest change that was told, or only what was accepted',
  }),
  keep: count([1, 365], 'Number of runs that are kept, with their files. The baseline is kept as well'),
  pause_after_failures: count([0, 1_000], 'Failed runs in a row after which the watch is paused. 0: never'),
  label: labelField,
  webhook_url: webhookField,
};

const FORM = Object.keys(fields)
  .filter((name) => name !== 'capture' && name !== 'schedule')
  .join(', ');

/** Schema of the body of `POST /watches`. */
export const watchRequest = z.strictObject(
  {
    ...fields,
    timezone: fields.timezone.default('UTC'),
    compare: fields.compare.default({ ignore: [], threshold: 0.01, min_ratio: 0 }),
    confirm: fields.confirm.default(2),
    notify: fields.notify.default('changed'),
    baseline: fields.baseline.default('told'),
    keep: fields.keep.default(30),
    pause_after_failures: fields.pause_after_failures.default(20),
  },
  { error: `The request must be a JSON object with capture, schedule and, optionally, ${FORM}` },
);

/** Schema of the body of `PATCH /watches/<id>`. */
export const watchChange = z.strictObject(
  {
    ...z.object(fields).partial().shape,
    label: fields.label.nullable().meta({ description: 'As at the creation. `null` removes it' }),
    webhook_url: fields.webhook_url.nullable().meta({ description: 'As at the creation. `null` removes it' }),
    state: z
      .enum(['active', 'paused'], { error: 'must be active or paused' })
      .meta({ description: '`paused`: no run begins by the schedule' })
      .optional(),
  },
  { error: `The request must be a JSON object with state, capture, schedule, ${FORM}` },
);

export type WatchChange = z.output<typeof watchChange>;

export interface WatchRules {
  readonly parseFields: ParseFields;
  /** Rules of the key of the request. */
  readonly key: FieldRules | undefined;
  /** True if there is a secret to sign webhooks. */
  readonly hasWebhooks: boolean;
  /** @throws ServiceError DestinationNotAllowedError */
  readonly checkAddresses: (requested: RequestedAddresses) => Promise<void>;
  /** Shortest time between two starts. */
  readonly leastIntervalMs: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Reads the fields of a new watch. Refuses the same captures as `POST /capture`.
 * @throws ServiceError ValidationError, FieldNotAllowedError, DestinationNotAllowedError
 */
export async function readWatch(body: unknown, rules: WatchRules): Promise<WatchFields> {
  const read = parseBody(watchRequest, body);
  const watch = {
    ...read,
    timezone: canonicalTimeZone(read.timezone),
    label: read.label ?? nameOfCapture(read.capture),
  };
  await checkWatch(watch, rules, { hasNewSchedule: true, hasNewCapture: true });
  return watch;
}

/**
 * Reads a change of a watch, and checks the watch that it makes.
 * @throws ServiceError like `readWatch`
 */
export async function readChange(body: unknown, { fields }: Watch, rules: WatchRules): Promise<WatchChange> {
  const change = parseBody(watchChange, body);
  await checkWatch(changedFields(fields, change), rules, {
    hasNewSchedule: change.schedule !== undefined || change.timezone !== undefined,
    hasNewCapture: change.capture !== undefined || change.compare !== undefined,
  });
  return change;
}

/** Returns the fields of a watch after a change. */
export function changedFields(
  { label: oldLabel, webhook_url: oldUrl, ...before }: WatchFields,
  { label, webhook_url: webhookUrl, ...change }: WatchChange,
): WatchFields {
  const given = Object.fromEntries(
    Object.entries(change).filter(([name, value]) => name !== 'state' && value !== undefined),
  );
  const fields: WatchFields = { ...before, ...given };
  return {
    ...fields,
    timezone: canonicalTimeZone(fields.timezone),
    label: label === undefined ? oldLabel : (label ?? nameOfCapture(fields.capture)),
    webhook_url: webhookUrl === undefined ? oldUrl : (webhookUrl ?? undefined),
  };
}

async function checkWatch(
  watch: WatchFields,
  rules: WatchRules,
  { hasNewSchedule, hasNewCapture }: { readonly hasNewSchedule: boolean; readonly hasNewCapture: boolean },
): Promise<void> {
  const { schedule, timezone, webhook_url: webhookUrl, capture, compare } = watch;
  const { nowMs, key, parseFields, checkAddresses } = rules;
  try {
    if (hasNewSchedule)
      checkSchedule(parseSchedule({ schedule, timezone, anchorMs: nowMs }), nowMs, rules.leastIntervalMs);
  } catch (error) {
    throw validationError(`schedule: ${error instanceof Error ? error.message : 'is not valid'}`);
  }
  if (webhookUrl !== undefined && !rules.hasWebhooks)
    throw validationError('webhook_url: needs the setting WEBHOOK_SECRET');
  if (webhookUrl !== undefined) await named('webhook_url', () => checkAddresses({ url: webhookUrl }));
  if (!hasNewCapture) return;
  await named('capture', async () => {
    const given: Fields = captureFieldsOf({ capture, timezone }, nowMs);
    const defaults = compare === null ? {} : { defaults: TIDY_FIELDS };
    const options = await parseFields(given, { key, checksOnly: true, ...defaults });
    await checkAddresses(options.capture);
    checkWatchedCapture(given, options, compare);
  });
}
