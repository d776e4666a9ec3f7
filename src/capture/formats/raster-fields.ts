import type { z } from 'zod';
import { booleanField, choiceField, fieldsOf, integerField } from '../../steps/common/fields.ts';
import { FITS, type WantedSize } from './pictures/resize.ts';

export const pictureFields = fieldsOf('look', {
  omit_background: booleanField({
    description:
      'Leave out the white that browsers put behind a page: png, webp and avif become transparent there',
    example: true,
  }).default(false),
  image_quality: integerField(
    { min: 0, max: 100 },
    {
      description:
        'Quality of jpeg, webp and avif, each on its own scale: avif looks at 60 as the others do at 90',
      example: 80,
    },
  ).default(90),
});

/** Range of a side in device pixels. The maximum is that of the largest window. */
const SIDE = { min: 1, max: 7680 };

export const resizeFields = fieldsOf('area', {
  resize_width: integerField(SIDE, {
    description:
      'Make the picture so wide, in device pixels, in proportion; one that is smaller stays as it is',
    example: 400,
  }).optional(),
  resize_height: integerField(SIDE, {
    description: 'Make the picture so high, in the same way; with both the picture fits into that box',
    example: 300,
  }).optional(),
  resize_fit: choiceField(FITS, {
    description:
      'What to do where the proportions of the box are others, needs both sides: `inside`: the picture is smaller than the box; `cover`: it is cropped to the proportions of the box, from the top; `contain`: it is put in the middle of the box, on white, or on nothing with `omit_background`',
    example: 'cover',
  }).default('inside'),
});

/** Returns the requested size. Undefined if the request sets none. */
export function wantedSize(options: z.output<typeof resizeFields>): WantedSize | undefined {
  const { resize_width: width, resize_height: height, resize_fit: fit } = options;
  return width === undefined && height === undefined ? undefined : { width, height, fit };
}
