import { validationError } from '../../core/ground/errors.ts';
import type { RequestOptions } from '../../core/capture/request/options.ts';
import { UNUSED_FIELDS } from '../compare/compare-call.ts';
import type { WatchFields } from './watch.ts';

/** Fields of compared captures that the client leaves out: banners and advertisements come and go. */
export const TIDY_FIELDS = { block_cookie_banners: true, block_ads: true };

/** Shown in place of a secret, and of a long value in a list. */
export const [HIDDEN, LEFT_OUT] = ['***', '…'] as const;

/** Formats that can be compared. */
const COMPARED: readonly string[] = ['png', 'jpeg', 'webp', 'avif', 'markdown'];
/** Fields of a compared capture that a comparison does not use, but the file that is kept. */
const OF_FILE = ['format', 'image_quality', 'store_path', 'file_name', 'disposition', 'store'];

/**
 * Returns the fields of a run that begins now. A `store_path` needs no `store`, and its `{date}` and `{time}` are those
 * of the time zone.
 */
export function captureFieldsOf(
  { capture, timezone }: Pick<WatchFields, 'capture' | 'timezone'>,
  startedAtMs: number,
): Readonly<Record<string, unknown>> {
  const { store_path: path } = capture;
  if (typeof path !== 'string') return capture;
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' })
    .format(startedAtMs)
    .split(' ');
  const [date = '', time = ''] = parts;
  return {
    ...capture,
    store: true,
    store_path: path.replaceAll('{date}', date).replaceAll('{time}', time.replace(':', '-')),
  };
}

/**
 * Refuses captures that a watch can't compare or keep.
 * @throws ServiceError ValidationError
 */
export function checkWatchedCapture(
  given: Readonly<Record<string, unknown>>,
  { capture: options }: RequestOptions,
  compare: WatchFields['compare'],
): void {
  if (options.include?.includes('storage_state') === true)
    throw validationError('include: storage_state is not kept by watches');
  const hidden = Object.keys(given).find((name) => given[name] === HIDDEN || given[name] === LEFT_OUT);
  if (hidden !== undefined)
    throw validationError(`${hidden}: is what answers show in its place, so the value itself is needed`);
  if (compare === null) return;
  if (!COMPARED.includes(options.format))
    throw validationError(`format: must be one of ${COMPARED.join(', ')}. compare null keeps other formats`);
  const unused = UNUSED_FIELDS.filter((name) => !OF_FILE.includes(name) && given[name] !== undefined);
  if (unused.length > 0)
    throw validationError(unused.map((name) => `${name}: has no effect on a comparison`).join('; '));
  const hasSelector = compare.ignore.some((each) => 'selector' in each);
  if (options.format === 'markdown' && compare.ignore.some((each) => !('selector' in each)))
    throw validationError('compare.ignore: markdown has no places, so only selectors are left out');
  const isResized = options.resize_width !== undefined || options.resize_height !== undefined;
  if (isResized && hasSelector) throw validationError('compare.ignore: a selector needs a capture that is not resized');
}
