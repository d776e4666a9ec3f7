import { z } from 'zod';

const SIDE_FORM =
  'must be an object with one of capture (fields of /capture), stored (a path), job (an id) and base64 (a picture)';
/** Without the expression of zod, which is slow for long texts. */
function isBase64(text: string): boolean {
  return /^[\w+/-]+={0,2}$/.test(text) && text.length % 4 !== 1;
}

const side = z
  .union(
    [
      z.strictObject({ capture: z.record(z.string(), z.unknown()) }),
      z.strictObject({ stored: z.string() }),
      z.strictObject({ job: z.string() }),
      z.strictObject({ base64: z.string().refine(isBase64) }),
    ],
    { error: SIDE_FORM },
  )
  .meta({ description: 'A capture (`capture`: its fields), a stored result, the result of a job, or a picture' });

const MAX_IGNORED = 50;
const IGNORE_FORM = `must be a list of at most ${MAX_IGNORED} boxes ({x, y, width, height}) and selectors ({selector})`;
const pixel = z.int().min(0).max(1_000_000);
const ignored = z.union([
  z.strictObject({ selector: z.string().min(1).max(1_024) }),
  z.strictObject({ x: pixel, y: pixel, width: pixel, height: pixel }),
]);

/** Schema of the body of `POST /compare`. */
export const compareRequest = z.strictObject(
  {
    before: side,
    after: side,
    ignore: z
      .array(ignored, { error: IGNORE_FORM })
      .max(MAX_IGNORED, { error: IGNORE_FORM })
      .default([])
      .meta({
        description:
          'What is left out on both sides: boxes in pixels of the picture, or all matches of a CSS selector in captures. A picture is compared without the places of the captured side',
        examples: [[{ selector: '.clock' }]],
      }),
    threshold: z
      .number({ error: 'must be a number from 0 to 1' })
      .min(0, { error: 'must be a number from 0 to 1' })
      .max(1, { error: 'must be a number from 0 to 1' })
      .default(0.01)
      .meta({ description: 'The largest colour distance that counts as equal. 1 is black against white' }),
    align: z.enum(['rows', 'none'], { error: 'must be rows or none' }).default('rows').meta({
      description: '`rows` matches rows first, so that inserted rows move no others; `none` compares place by place',
    }),
    max_ratio: z
      .number({ error: 'must be a number from 0 to 1' })
      .min(0, { error: 'must be a number from 0 to 1' })
      .max(1, { error: 'must be a number from 0 to 1' })
      .optional()
      .meta({ description: 'Largest `ratio` for which the answer has `within: true`' }),
    mode: z.enum(['pixels', 'text'], { error: 'must be pixels or text' }).default('pixels').meta({
      description: '`text` compares the lines of both sides as Markdown, in place of their pictures',
    }),
    format: z
      .enum(['png', 'webp'], { error: 'must be png or webp' })
      .optional()
      .meta({ description: 'Format of a picture of `after` with the regions marked. Default: none' }),
  },
  {
    error:
      'The request must be a JSON object with before and after and, optionally, ignore, threshold, align, max_ratio, mode and format',
  },
);

export type CompareRequest = z.output<typeof compareRequest>;
export type RequestedSide = CompareRequest['before'];
