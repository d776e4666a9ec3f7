import type { z } from 'zod';
import type { Window } from '../browser/page/screen.ts';
import { booleanField, fieldsOf, integerField, numberField } from './common/fields.ts';
import type { Step } from './common/step.ts';

const schema = fieldsOf('area', {
  window_width: integerField(
    { min: 1, max: 7680 },
    { description: 'Viewport width in CSS pixels', example: 800 },
  ).default(1280),
  window_height: integerField(
    { min: 1, max: 7680 },
    { description: 'Viewport height in CSS pixels', example: 600 },
  ).default(720),
  pixel_density: numberField({ min: 0.1, max: 5 }, { description: 'Device pixels per CSS pixel', example: 2 }).default(
    1,
  ),
  is_mobile: booleanField({
    description: "Emulate a phone: the page's own viewport declaration applies",
    example: true,
  }).default(false),
});

/** Window of new pages, which most captures use. */
export const DEFAULT_WINDOW: Window = toWindow(schema.parse({}));

/** Sets size and density of the window. */
export const viewport: Step<typeof schema> = {
  name: 'viewport',
  schema,
  apply: async (page, options) => {
    await page.setWindow(toWindow(options));
  },
};

/** Returns the window of a request. */
export function toWindow(options: z.output<typeof schema>): Window {
  return {
    width: options.window_width,
    height: options.window_height,
    deviceScaleFactor: options.pixel_density,
    mobile: options.is_mobile,
  };
}
