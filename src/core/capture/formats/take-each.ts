import { resultTooLarge } from '../../ground/errors.ts';
import type { Measured } from './measure-area.ts';
import type { Rendering, RenderLimits, Unfinished } from './format.ts';

interface EachFacts extends Pick<RenderLimits, 'maxResultBytes'> {
  /** True if other matches are left out. */
  readonly hasMore: boolean;
  readonly mimeType: string;
}

/** Takes one picture after the other, and returns them as one result. */
export async function takeEach(
  parts: readonly Measured[],
  take: (part: Measured) => Promise<Rendering | Unfinished>,
  { hasMore, mimeType, maxResultBytes }: EachFacts,
): Promise<Unfinished> {
  const taken: { readonly part: Measured; readonly picture: Rendering | Unfinished }[] = [];
  for (const part of parts) taken.push({ part, picture: await take(part) });
  return {
    finish: async (signal) => {
      const finished: { readonly part: Measured; readonly picture: Rendering }[] = [];
      let left = maxResultBytes;
      for (const { part, picture } of taken) {
        const rendering = 'finish' in picture ? await picture.finish(signal) : picture;
        left -= rendering.body.length;
        if (left < 0) throw resultTooLarge(maxResultBytes);
        finished.push({ part, picture: rendering });
      }
      const warnings = new Set(finished.flatMap(({ picture }) => picture.warnings ?? []));
      if (hasMore) warnings.add('elements_left_out');
      return {
        body: Buffer.concat(finished.map(({ picture }) => picture.body)),
        elements: finished.map(({ part: { box }, picture }) => ({
          ...box,
          content_type: mimeType,
          bytes: picture.body.length,
        })),
        warnings: [...warnings],
      };
    },
  };
}
