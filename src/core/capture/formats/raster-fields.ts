import type { z } from 'zod';
import { booleanField, choiceField, fieldsOf, integerField } from '../../steps/common/fields.ts';
import { COLORS } from './pictures/encode.ts';
import { FITS, type RequestedSize } from './pictures/resize.ts';

export const pictureFields = fieldsOf('look', {
  omit_background: booleanField({
    description: 'Omit the white background of the browser: png, webp and avif become transparent',
    example: true,
  }).default(false),
  image_quality: integerField(
    { min: 0, max: 100 },
    {
      description: 'Quality of jpeg, webp and avif. The scales differ: avif at 60 looks like the others at 90',
      example: 80,
    },
  ).default(90),
  color: choiceField(COLORS, {
    description:
      'Colours of a picture. `full`: all. `gray`: 256 grays, with 8 bits a pixel. `mono`: black and white, with 1 bit a pixel, png only, for e-paper',
    example: 'gray',
  }).default('full'),
  dither: booleanField({
    description:
      'Show the grays of `mono` as patterns of black and white. `false`: what is darker than the middle is black',
    example: false,
  }).default(true),
});

/** Range of a side in device pixels. The maximum is that of the largest window. */
const SIDE = { min: 1, max: 7680 };

export const resizeFields = fieldsOf('area', {
  resize_width: integerField(SIDE, {
    description: 'Scale the picture down to this width, in device pixels. Smaller pictures stay unchanged',
    example: 400,
  }).optional(),
  resize_height: integerField(SIDE, {
    description: 'Scale the picture down to this height, in device pixels. With both sides, it fits into that box',
    example: 300,
  }).optional(),
  resize_fit: choiceField(FITS, {
    description:
      'How the picture fits into the box of `resize_width` and `resize_height`. `inside`: the whole picture. `cover`: cropped, from the top. `contain`: centred on white, or on transparency with `omit_background`',
    example: 'cover',
  }).default('inside'),
});

/** Returns the requested size. Undefined if the request sets none. */
export function requestedSize(options: z.output<typeof resizeFields>): RequestedSize | undefined {
  const { resize_width: width, resize_height: height, resize_fit: fit } = options;
  return width === undefined && height === undefined ? undefined : { width, height, fit };
}
