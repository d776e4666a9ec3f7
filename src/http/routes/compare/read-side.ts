import { buffer } from 'node:stream/consumers';
import type { Response } from 'express';
import type { CaptureAnswer } from '../../../capture/capture.ts';
import { parsePart } from '../../../capture/parts/index.ts';
import { elementsPart } from '../../../capture/parts/page-parts.ts';
import type { CaptureOptions } from '../../../capture/request/options.ts';
import type { PageElements, PlacedElements } from '../../../compare/name-regions.ts';
import { ServiceError, validationError } from '../../../errors.ts';
import { openResult } from '../../../jobs/open-result.ts';
import { ownerOf } from '../../../keys/key.ts';
import { namespacedPath } from '../../../keys/owners.ts';
import { isLinkedPath, PATH_FORM } from '../../../storage/stored-path.ts';
import type { StoredFile } from '../../../storage/storage.ts';
import { createFileMemory } from '../../answers/send-file.ts';
import { holdPage } from '../../request/hold-memory.ts';
import { contextOf } from '../../request/request-context.ts';
import { findJob, jobsOf } from '../jobs/jobs-on.ts';
import type { HandlerOptions } from '../route.ts';
import { noSuchFile } from '../stored-route.ts';
import type { RequestedSide } from './compare-request.ts';

/** Fields of a side that is a capture: its picture without loss. */
const FIXED = { format: 'png' } as const;

export interface ReadSide {
  readonly bytes: Uint8Array;
  /** The capture of a side that is one. */
  readonly answer?: CaptureAnswer;
  /** Undefined for a side whose elements are at unknown places. */
  readonly placed?: PlacedElements | undefined;
}

type SideOptions = Pick<
  HandlerOptions,
  'capture' | 'parseFields' | 'resultStorage' | 'jobs' | 'now' | 'budgets' | 'maxResultBytes'
>;

interface SideContext {
  readonly response: Response;
  /** Aborted when the other side has failed. */
  readonly signal: AbortSignal;
  /** Selectors of elements that are left out. */
  readonly selectors: readonly string[];
}

/**
 * Returns a function that prepares a side: it checks the request, and returns the function that reads the picture.
 * @throws ServiceError like `/capture`; NotFoundError, JobNotFinishedError, JobExpiredError
 */
export function createReadSide(options: SideOptions) {
  return async (side: RequestedSide, context: SideContext): Promise<() => Promise<ReadSide>> => {
    if ('capture' in side) return await capturedSide(side.capture, context, options);
    if (context.selectors.length > 0) throw validationError('ignore: a selector needs sides that are captures');
    if ('base64' in side) {
      const bytes = Buffer.from(side.base64, 'base64');
      return async () => ({ bytes });
    }
    return async () => ({ bytes: await storedBytes(side, context, options) });
  };
}

async function capturedSide(
  fields: Readonly<Record<string, unknown>>,
  { response, signal, selectors }: SideContext,
  { parseFields, capture, budgets }: SideOptions,
): Promise<() => Promise<ReadSide>> {
  const { id, client, key, log, span } = contextOf(response);
  const { capture: options } = await parseFields(fields, { key, fixed: FIXED });
  const isResized = options.resize_width !== undefined || options.resize_height !== undefined;
  if (isResized && selectors.length > 0)
    throw validationError('ignore: a selector needs captures that are not resized');
  holdPage(response, options, budgets.bodies);
  // The place of a captured element on the page is that of its own box.
  const ofArea = options.selector === undefined ? [] : [options.selector];
  return async () => {
    const maskedSelectors = [...selectors, ...ofArea];
    const include = [...(options.include ?? []), 'elements'] as const;
    const answer = await capture({ ...options, include, maskedSelectors }, { id, client, key, log, span, signal });
    const elements = elementsOf(answer, selectors);
    if (elements === undefined || isResized) return { bytes: answer.file, answer };
    const origin = originOf(options, elements.scrolled, elements.masked[selectors.length] ?? []);
    return { bytes: answer.file, answer, placed: { elements, origin, density: options.pixel_density } };
  };
}

/**
 * Returns the elements of a capture. Undefined if the page has made them unreadable.
 * @throws ServiceError ValidationError for a selector that is not valid; NotComparableError if its elements are needed
 */
function elementsOf({ parts }: CaptureAnswer, selectors: readonly string[]): PageElements | undefined {
  try {
    const elements = parsePart(parts, 'elements', elementsPart);
    const invalid = selectors.findIndex((_selector, index) => elements.masked[index] === null);
    if (invalid >= 0)
      throw validationError(`ignore: ${JSON.stringify(selectors[invalid])} is not a valid CSS selector`);
    return elements;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (selectors.length === 0) return undefined;
    throw new ServiceError('NotComparableError', undefined, { details: 'the elements to ignore could not be read' });
  }
}

type ElementBox = readonly [x: number, y: number, width: number, height: number];

function originOf(
  options: CaptureOptions,
  scrolled: readonly [number, number],
  matches: readonly ElementBox[] = [],
): readonly [number, number] {
  const { selector, selector_all: isAll, selector_padding: padding, full_page: isWhole, clip } = options;
  if (selector !== undefined) {
    const shown = matches.filter(([, , width, height]) => width > 0 && height > 0).slice(0, isAll ? undefined : 1);
    const [left, top] = [Math.min(...shown.map(([x]) => x)), Math.min(...shown.map(([, y]) => y))];
    return [left - padding, top - padding];
  }
  if (clip !== undefined) return [clip.x, clip.y];
  return isWhole ? [0, 0] : scrolled;
}

async function storedBytes(
  side: Extract<RequestedSide, { stored: string } | { job: string }>,
  { response }: SideContext,
  options: SideOptions,
): Promise<Buffer> {
  const hold = createFileMemory(response, options.budgets.answers);
  const file =
    'job' in side ? await fileOfJob(side.job, response, options) : await storedFile(side.stored, response, options);
  if (file.bytes > options.maxResultBytes) {
    file.body.destroy();
    throw new ServiceError('NotComparableError', undefined, {
      details: `has more than ${options.maxResultBytes} bytes`,
    });
  }
  try {
    hold(file.bytes);
  } catch (error) {
    file.body.destroy();
    throw error;
  }
  return await buffer(file.body);
}

async function storedFile(path: string, response: Response, { resultStorage }: SideOptions): Promise<StoredFile> {
  if (!isLinkedPath(path)) throw validationError(`stored: must be ${PATH_FORM}`);
  const file = await resultStorage?.get(namespacedPath(ownerOf(contextOf(response).key), path));
  if (file === undefined) throw noSuchFile();
  return file;
}

async function fileOfJob(id: string, response: Response, options: SideOptions): Promise<StoredFile> {
  const jobs = jobsOf(options);
  const { state, result } = await findJob(jobs, id, { key: contextOf(response).key, nowMs: options.now() * 1_000 });
  if (state !== 'done') throw new ServiceError('JobNotFinishedError', undefined, { details: `The job is ${state}` });
  const file = result && (await openResult(result, jobs.storage));
  if (file === undefined) throw new ServiceError('JobExpiredError', 'The result of this job has expired');
  return file;
}
