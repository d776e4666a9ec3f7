import type { RequestHandler } from 'express';
import { resultTooLarge } from '../../../errors.ts';
import { nameRegions } from '../../../compare/name-regions.ts';
import type { Box } from '../../../compare/pictures/bitmap.ts';
import type { PictureSide } from '../../../compare/pictures/compare-pictures.ts';
import type { Region } from '../../../compare/pictures/region.ts';
import { boxOnPicture } from '../../../compare/name-regions.ts';
import { draw } from '../../request/draw.ts';
import { named } from '../../request/named.ts';
import { parseBody } from '../../request/read-body.ts';
import { contextOf } from '../../request/request-context.ts';
import type { HandlerOptions } from '../route.ts';
import { compareRequest, type CompareRequest } from './compare-request.ts';
import { createReadSide, type ReadSide } from './read-side.ts';

/** Most regions of an answer. With more, nearly the whole page differs. */
const MAX_REGIONS = 1_000;

/** Handles `POST /compare`. */
export function createCompareHandler(options: HandlerOptions): RequestHandler {
  const { compare, countAsRunning, limits, maxPixels, maxResultBytes, sendBody, usage } = options;
  const readSide = createReadSide(options);
  return async (request, response) => {
    const context = contextOf(response);
    const requested = parseBody(compareRequest, request.body ?? {});
    const selectors = requested.ignore.flatMap((each) => ('selector' in each ? [each.selector] : []));
    // One failed side ends the other.
    const failed = new AbortController();
    const signal = AbortSignal.any([context.signal, failed.signal]);
    const prepare = (side: 'before' | 'after') =>
      named(side, () => readSide(requested[side], { response, signal, selectors }));
    const [readBefore, readAfter] = [await prepare('before'), await prepare('after')];
    // The request itself has drawn one token.
    if ('capture' in requested.before && 'capture' in requested.after) await draw(limits.capture, request, response);
    context.summary.format = 'png';
    await countAsRunning(async () => {
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
        const compared = await compare.pictures(
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
        );
        const body = Buffer.from(JSON.stringify(answerOf(compared, { before, after, format })));
        if (body.length > maxResultBytes) throw resultTooLarge(maxResultBytes);
        sendBody(response.status(200).type('json'), body, { isKept: false });
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
): object {
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
