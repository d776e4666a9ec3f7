import { isUtf8 } from 'node:buffer';
import type { Request, Response } from 'express';
import { resultTooLarge, ServiceError, validationError } from '../../../core/ground/errors.ts';
import type { CompareState } from '../compare.ts';
import {
  type CompareCall,
  type Compared,
  type ComparedSide,
  type ComparedTexts,
  shownRegion,
} from '../compare-call.ts';
import { draw } from '../../../core/http/request/draw.ts';
import { named } from '../../../core/ground/named.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { traced } from '../../../core/ground/tracer.ts';
import type { HandlerOptions } from '../../../core/http/routes/route.ts';
import type { CompareRequest } from './compare-request.ts';
import type { KeptFiles } from '../../jobs/routes/read-kept.ts';
import { createReadSide, type ReadSide } from './read-side.ts';

/** What comparisons need besides the core. */
export type ComparisonState = CompareState & KeptFiles;

/** A finished comparison. */
export interface Comparison {
  readonly answer: ReturnType<typeof pictureAnswer> | ReturnType<typeof textAnswer>;
  /** The answer as JSON. */
  readonly body: Buffer;
}

/**
 * Returns a function that reads and compares the sides of a request. Beyond the token that the request itself has
 * drawn from the rate limit, it draws one if both sides are captures.
 * @throws ServiceError like `/capture`, with the side in its details; NotComparableError; ResultTooLargeError
 */
export function createCompareSides(options: HandlerOptions & ComparisonState) {
  const { compare, config, countAsRunning, limits } = options;
  const { captureTimeoutMs, maxPixels, maxResultBytes } = config;
  const readSide = createReadSide(options);
  return async (requested: CompareRequest, request: Request, response: Response): Promise<Comparison> => {
    const context = contextOf(response);
    const selectors = requested.ignore.flatMap((each) => ('selector' in each ? [each.selector] : []));
    // One failed side ends the other.
    const failed = new AbortController();
    const signal = AbortSignal.any([context.signal, failed.signal]);
    const { mode } = requested;
    checkRequest(requested);
    const prepare = (side: 'before' | 'after') =>
      named(side, () => readSide(requested[side], { response, signal, selectors, mode }));
    const [readBefore, readAfter] = [await prepare('before'), await prepare('after')];
    if ('capture' in requested.before && 'capture' in requested.after) await draw(limits.capture, request, response);
    context.summary.format = mode === 'text' ? 'markdown' : 'png';
    const read = async (name: 'before' | 'after', readPicture: () => Promise<ReadSide>): Promise<ReadSide> => {
      try {
        return await named(name, readPicture);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    };
    return await countAsRunning(async () => {
      const late = (): void =>
        failed.abort(new ServiceError('TimeoutError', `The comparison took longer than ${captureTimeoutMs} ms`));
      const timer = setTimeout(late, captureTimeoutMs);
      try {
        const [before, after] = await Promise.all([read('before', readBefore), read('after', readAfter)]);
        const sides = { before, after };
        const answer = await traced(context.span, 'compare', async () =>
          mode === 'text'
            ? textAnswer(await compare.texts(textOf(before), textOf(after), context.client, signal), requested, sides)
            : pictureAnswer(
                await compare.pictures(callOf(requested, { ...sides, selectors, maxPixels }), context.client, signal),
                requested,
                sides,
              ),
        );
        const body = Buffer.from(JSON.stringify(answer));
        if (body.length > maxResultBytes) throw resultTooLarge(maxResultBytes);
        return { answer, body };
      } finally {
        clearTimeout(timer);
      }
    });
  };
}

interface Sides {
  readonly before: ReadSide;
  readonly after: ReadSide;
}

const sideOf = ({ bytes, elements, place }: ReadSide): ComparedSide => ({ bytes, elements, place });

/** Copies what the process needs: the captures themselves can't be sent to it. */
function callOf(
  { ignore, threshold, align, format }: CompareRequest,
  { before, after, ...rest }: Sides & Pick<CompareCall, 'selectors' | 'maxPixels'>,
): CompareCall {
  const ignored = ignore.flatMap((each) => ('selector' in each ? [] : [each]));
  return { before: sideOf(before), after: sideOf(after), ignored, threshold, align, format, ...rest };
}

/** The first status of an error page. */
const LEAST_ERROR = 400;

/** @throws ServiceError ValidationError for fields that need the other mode, or a capture */
function checkRequest({ mode, ignore, format, before, after }: CompareRequest): void {
  if (mode === 'text' && format !== undefined) throw validationError('format: needs mode to be pixels');
  if (mode === 'text' && ignore.some((each) => !('selector' in each)))
    throw validationError('ignore: mode text leaves out selectors only');
  const hasCapture = 'capture' in before || 'capture' in after;
  if (!hasCapture && ignore.some((each) => 'selector' in each))
    throw validationError('ignore: a selector needs a side that is a capture');
}

/** @throws ServiceError NotComparableError for a side that is no text */
function textOf({ bytes }: ReadSide): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  throw new ServiceError('NotComparableError', undefined, { details: 'mode text compares texts in UTF-8' });
}

function pictureAnswer(compared: Compared, { format, max_ratio: most }: CompareRequest, { before, after }: Sides) {
  const { pixels, regions, isTruncated, unmatched, before: beforeSize, after: afterSize, picture } = compared;
  const ratio = pixels / Math.max(beforeSize.width * beforeSize.height, afterSize.width * afterSize.height);
  const warnings = [...(unmatched.length > 0 ? ['ignore_not_found'] : []), ...statusWarnings({ before, after })];
  return {
    changed: regions.length > 0,
    ratio,
    ...(most !== undefined && { within: ratio <= most }),
    pixels,
    before: { ...beforeSize, ...factsOf(before) },
    after: { ...afterSize, ...factsOf(after) },
    regions: regions.map(shownRegion),
    ...(isTruncated && { truncated: true }),
    ...(warnings.length > 0 && { warnings }),
    ...(picture !== undefined && {
      picture: { content_type: `image/${format}`, base64: Buffer.from(picture).toString('base64') },
    }),
  };
}

function textAnswer(compared: ComparedTexts, { max_ratio: most }: CompareRequest, { before, after }: Sides) {
  const { changes, ratio, isTruncated } = compared;
  const warnings = statusWarnings({ before, after });
  return {
    changed: changes.length > 0,
    ratio,
    ...(most !== undefined && { within: ratio <= most }),
    before: factsOf(before),
    after: factsOf(after),
    changes,
    ...(isTruncated && { truncated: true }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** An error page may be equal to another one. */
function statusWarnings({ before, after }: Sides): readonly string[] {
  const isError = [before, after].some(({ answer }) => (answer?.facts.targetStatus ?? 0) >= LEAST_ERROR);
  return isError ? ['http_error'] : [];
}

/** What the headers of a capture say. */
function factsOf({ answer }: ReadSide): object {
  if (answer === undefined) return {};
  const { warnings, targetStatus, targetUrl } = answer.facts;
  return {
    ...(targetStatus !== undefined && { target_status: targetStatus }),
    ...(targetUrl !== undefined && { target_url: targetUrl }),
    ...(warnings.length > 0 && { warnings }),
  };
}
