import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CaptureAnswer } from '../../core/capture/capture.ts';
import type { RequestOptions } from '../../core/capture/request/options.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import type { MemoryBudget } from '../../core/ground/memory-budget.ts';
import type { Compare } from '../compare/compare.ts';
import type { Compared, ComparedSide, ComparedTexts, NamedRegion } from '../compare/compare-call.ts';
import type { Box } from '../compare/pictures/bitmap.ts';
import { openResult } from '../jobs/open-result.ts';
import type { Storage } from '../storage/storage.ts';
import type { Run, RunComparison, WatchFields } from './watch.ts';

/** Regions or lines that a run keeps. The largest regions, the first lines. */
const MOST_KEPT = 50;
/** A region within this distance of one that changes by itself is part of it: words of one line, for example. */
const NEAR_PX = 8;
/** The same for lines: a blank line is between two paragraphs. */
const NEAR_LINES = 2;
/** Elements of a page have at most some megabytes. */
const MOST_ELEMENT_BYTES = 64_000_000;
const unpack = promisify(gunzip);

type Settings = NonNullable<WatchFields['compare']>;
type Differences = Omit<RunComparison, 'baseline'>;
type Line = NonNullable<RunComparison['changes']>[number];

/** A capture of a run. */
export interface Taken {
  readonly requested: RequestOptions;
  readonly answer: CaptureAnswer;
}

/** A side of a comparison: markdown, or a picture with its elements. */
export interface Side extends ComparedSide {
  readonly isText: boolean;
  readonly width: number | undefined;
}

export function sideOf({ requested: { capture }, answer }: Taken): Side {
  const { file: bytes, parts, facts } = answer;
  return {
    bytes,
    elements: parts.get('elements'),
    place: placeOf(capture, facts.place),
    isText: capture.format === 'markdown',
    width: facts.size?.width,
  };
}

function placeOf(
  { resize_width: width, resize_height: height, pixel_density: density }: RequestOptions['capture'],
  page: NonNullable<ComparedSide['place']>['page'],
): ComparedSide['place'] {
  return width === undefined && height === undefined ? { page, density } : undefined;
}

interface ReadingOptions {
  readonly storage: Storage;
  /** Memory for the file while it is compared. */
  readonly memory: Pick<MemoryBudget, 'take' | 'give'>;
  readonly owner: string;
}

/**
 * Reads the file of a run, passes it to `use`, and returns its result. Undefined if the file is missing.
 * @throws ServiceError OverloadedError; StorageError
 */
export async function withSideOf<T>(
  { result, elements }: Run,
  { requested }: Pick<Taken, 'requested'>,
  { storage, memory, owner }: ReadingOptions,
  use: (side: Side) => Promise<T>,
): Promise<T | undefined> {
  if (result === undefined) return undefined;
  if (!memory.take(result.bytes, owner))
    throw new ServiceError('OverloadedError', 'There is no memory for the picture to compare with');
  try {
    const file = await openResult(result, storage);
    if (file === undefined) return undefined;
    return await use({
      bytes: await buffer(file.body),
      elements: elements === undefined ? undefined : await readElements(elements, storage),
      place: placeOf(requested.capture, result.facts.place),
      isText: result.format === 'markdown',
      width: result.facts.size?.width,
    });
  } finally {
    memory.give(result.bytes, owner);
  }
}

/** Undefined if the file is missing or damaged: regions then have no names. */
async function readElements(path: string, storage: Storage): Promise<Buffer | undefined> {
  const file = await storage.get(path);
  if (file === undefined) return undefined;
  return await unpack(await buffer(file.body), { maxOutputLength: MOST_ELEMENT_BYTES }).catch(() => undefined);
}

interface ComparingOptions {
  readonly compare: Compare;
  readonly maxPixels: number;
  readonly settings: Settings;
  /** Shares the process of comparisons fairly. */
  readonly client: string;
  readonly signal: AbortSignal;
}

/** What an earlier capture has shown of the same change. */
interface Earlier {
  /** Regions that change by themselves. Differences near them don't count. */
  readonly unstable?: readonly Place[];
  /** Numbers of lines that change by themselves. */
  readonly unstableLines?: readonly number[];
}

/** Compares two sides. Undefined: nothing differs that counts. Otherwise, all differences that the comparison names. */
export type Differ = (before: Side, after: Side, earlier?: Earlier) => Promise<Differences | undefined>;

/** Returns a function that compares two sides by the settings of a watch. */
export function createDiffering({ compare, maxPixels, settings, client, signal }: ComparingOptions): Differ {
  const { ignore, threshold, min_ratio: leastRatio } = settings;
  const selectors = ignore.flatMap((each) => ('selector' in each ? [each.selector] : []));
  const boxes = ignore.flatMap((each) => ('selector' in each ? [] : [each]));
  return async (before, after, { unstable = [], unstableLines = [] } = {}) => {
    if (after.isText) {
      const compared = await compare.texts(textOf(before), textOf(after), client, signal);
      const changes = compared.changes.filter(
        (change) => !isBlank(change) && !unstableLines.some((line) => Math.abs(line - change.line) <= NEAR_LINES),
      );
      return changes.length === 0 || compared.ratio < leastRatio
        ? undefined
        : differencesOfTexts({ ...compared, changes });
    }
    const compared = await compare.pictures(
      {
        before: plain(before),
        after: plain(after),
        ignored: boxes,
        selectors,
        threshold,
        align: before.width === after.width ? 'rows' : 'none',
        format: undefined,
        maxPixels,
      },
      client,
      signal,
    );
    const regions = compared.regions.filter((region) => !unstable.some((each) => areNear(region, each)));
    const differences = differencesOfPictures({ ...compared, regions });
    return regions.length === 0 || differences.ratio < leastRatio ? undefined : differences;
  };
}

function isBlank({ before = '', after = '' }: Line): boolean {
  return before.trim() === '' && after.trim() === '';
}

/** A region, or a box of the later picture. */
type Place = Box & Pick<NamedRegion, 'rowInAfter'>;

/** True if the places overlap in the later picture, or nearly do. A thousand of them are compared with as many. */
export function areNear(one: Place, other: Place): boolean {
  return (
    one.x - NEAR_PX < other.x + other.width &&
    other.x - NEAR_PX < one.x + one.width &&
    topOf(one) - NEAR_PX < bottomOf(other) &&
    topOf(other) - NEAR_PX < bottomOf(one)
  );
}

function topOf({ y, rowInAfter = y }: Place): number {
  return rowInAfter;
}

/** What was removed has no height in the later picture. */
function bottomOf({ y, height, rowInAfter = y + height }: Place): number {
  return rowInAfter;
}

/** What can be sent to the process. */
function plain({ bytes, elements, place }: Side): ComparedSide {
  return { bytes, elements, place };
}

function textOf({ bytes }: Side): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function differencesOfTexts({ changes, ratio, isTruncated }: ComparedTexts): Differences {
  return { ratio, changes: [...changes], ...(isTruncated && { truncated: true }) };
}

function differencesOfPictures({ pixels, before, after, regions, isTruncated, unmatched }: Compared): Differences {
  return {
    ratio: pixels / Math.max(before.width * before.height, after.width * after.height),
    pixels,
    regions: [...regions],
    ...(isTruncated && { truncated: true }),
    ...(unmatched.length > 0 && { warnings: ['ignore_not_found'] }),
  };
}

/** Returns the largest regions, or the first lines. */
export function largestOf({ regions, changes, ...differences }: Differences): Differences {
  const isCut = (regions ?? changes ?? []).length > MOST_KEPT;
  const sorted = regions?.toSorted((one, two) => two.width * two.height - one.width * one.height);
  return {
    ...differences,
    ...(regions && { regions: isCut ? sorted?.slice(0, MOST_KEPT) : regions }),
    ...(changes && { changes: changes.slice(0, MOST_KEPT) }),
    ...(isCut && { truncated: true }),
  };
}
