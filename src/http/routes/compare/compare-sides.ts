import type { Request, Response } from 'express';
import { resultTooLarge } from '../../../errors.ts';
import { nameRegions } from '../../../compare/name-regions.ts';
import type { Box } from '../../../compare/pictures/bitmap.ts';
import type { PictureSide } from '../../../compare/pictures/compare-pictures.ts';
import type { Region } from '../../../compare/pictures/region.ts';
import { boxOnPicture } from '../../../compare/name-regions.ts';
import { draw } from '../../request/draw.ts';
import { named } from '../../request/named.ts';
import { contextOf } from '../../request/request-context.ts';
import { traced } from '../../../tracing/tracer.ts';
import type { HandlerOptions } from '../route.ts';
import type { CompareRequest } from './compare-request.ts';
import { createReadSide, type ReadSide } from './read-side.ts';

/** Most regions of an answer. With more, nearly the whole page differs. */
const MAX_REGIONS = 1_000;

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
  const { compare, countAsRunning, limits, maxPixels, maxResultBytes, usage } = options;
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
    return await countAsRunning(async () => {
      const sides: ReadSide[] = [];
      const read = async (name: 'before' | 'after', readPicture: () => Promise<ReadSide>): Promise<ReadSide> => {
        try {
          const side = await named(name, readPicture);
          sides.push(side);
          return side;
        } catch (error) {
          failed.abort(error);
          throw error;
        }
      };
      try {
        const [before, after] = await Promise.all([read('before', readBefore), read('after', readAfter)]);
        const { threshold, align, format } = requested;
        const compared = await traced(context.span, 'compare', () =>
          compare.pictures(
            {
              before: pictureOf(before, requested),
              after: pictureOf(after, requested),
              threshold,
              align,
              format,
              maxPixels,
            },
            context.client,
            context.signal,
          ),
        );
        const answer = answerOf(compared, { before, after, format });
        const body = Buffer.from(JSON.stringify(answer));
        if (body.length > maxResultBytes) throw resultTooLarge(maxResultBytes);
        return { answer, body };
      } catch (error) {
        for (const { answer } of sides) if (answer !== undefined) await usage?.countAs('failed', context.key, answer);
        throw error;
      }
    });
  };
}

/** A side with the boxes that are left out. */
function pictureOf({ bytes, placed }: ReadSide, { ignore }: CompareRequest): PictureSide {
  let selectors = 0;
  const ignored = ignore.flatMap((each): readonly Box[] => {
    if (!('selector' in each)) return [each];
    return placed?.elements.masked[selectors++]?.map((box) => boxOnPicture(box, placed)) ?? [];
  });
  return { bytes, ignored };
}

type Compared = Awaited<ReturnType<HandlerOptions['compare']['pictures']>>;

function answerOf(
  { pixels, regions: all, before: beforeSize, after: afterSize, picture }: Compared,
  { before, after, format }: { readonly before: ReadSide; readonly after: ReadSide } & Pick<CompareRequest, 'format'>,
) {
  const largest = Math.max(beforeSize.width * beforeSize.height, afterSize.width * afterSize.height);
  const regions =
    all.length <= MAX_REGIONS ? all : all.toSorted((one, two) => areaOf(two) - areaOf(one)).slice(0, MAX_REGIONS);
  const names =
    before.placed === undefined || after.placed === undefined ? [] : nameRegions(regions, before.placed, after.placed);
  return {
    changed: all.length > 0,
    ratio: pixels / largest,
    pixels,
    before: { ...beforeSize, ...factsOf(before) },
    after: { ...afterSize, ...factsOf(after) },
    regions: regions.map(({ x, y, width, height, kind }, index) => ({ x, y, width, height, kind, ...names[index] })),
    ...(regions.length < all.length && { truncated: true }),
    ...(picture !== undefined && {
      picture: { content_type: `image/${format}`, base64: Buffer.from(picture).toString('base64') },
    }),
  };
}

function areaOf({ width, height }: Region): number {
  return width * height;
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
