import type { Request, Response } from 'express';
import { resultTooLarge, ServiceError } from '../../../errors.ts';
import type { CompareCall, Compared, ComparedSide } from '../../../compare/compare-call.ts';
import { draw } from '../../request/draw.ts';
import { named } from '../../request/named.ts';
import { contextOf } from '../../request/request-context.ts';
import { traced } from '../../../tracing/tracer.ts';
import type { HandlerOptions } from '../route.ts';
import type { CompareRequest } from './compare-request.ts';
import { createReadSide, type ReadSide } from './read-side.ts';

/** A finished comparison. */
export interface Comparison {
  readonly answer: ReturnType<typeof answerOf>;
  /** The answer as JSON. */
  readonly body: Buffer;
}

/**
 * Returns a function that reads and compares the sides of a request. Beyond the token that the request itself has
 * drawn from the rate limit, it draws one if both sides are captures.
 * @throws ServiceError like `/capture`, with the side in its details; NotComparableError; ResultTooLargeError
 */
export function createCompareSides(options: HandlerOptions) {
  const { captureTimeoutMs, compare, countAsRunning, limits, maxPixels, maxResultBytes } = options;
  const readSide = createReadSide(options);
  return async (requested: CompareRequest, request: Request, response: Response): Promise<Comparison> => {
    const context = contextOf(response);
    const selectors = requested.ignore.flatMap((each) => ('selector' in each ? [each.selector] : []));
    // One failed side ends the other.
    const failed = new AbortController();
    const signal = AbortSignal.any([context.signal, failed.signal]);
    const prepare = (side: 'before' | 'after') =>
      named(side, () => readSide(requested[side], { response, signal, selectors }));
    const [readBefore, readAfter] = [await prepare('before'), await prepare('after')];
    if ('capture' in requested.before && 'capture' in requested.after) await draw(limits.capture, request, response);
    context.summary.format = 'png';
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
        const compared = await traced(context.span, 'compare', () =>
          compare.pictures(callOf(requested, { before, after, selectors, maxPixels }), context.client, signal),
        );
        const answer = answerOf(compared, { before, after, format: requested.format });
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

function answerOf(
  { pixels, regions, isTruncated, before: beforeSize, after: afterSize, picture }: Compared,
  { before, after, format }: Sides & Pick<CompareRequest, 'format'>,
) {
  const largest = Math.max(beforeSize.width * beforeSize.height, afterSize.width * afterSize.height);
  return {
    changed: regions.length > 0,
    ratio: pixels / largest,
    pixels,
    before: { ...beforeSize, ...factsOf(before) },
    after: { ...afterSize, ...factsOf(after) },
    regions,
    ...(isTruncated && { truncated: true }),
    ...(picture !== undefined && {
      picture: { content_type: `image/${format}`, base64: Buffer.from(picture).toString('base64') },
    }),
  };
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
