import type { Protocol } from 'puppeteer';
import type { z } from 'zod';
import { booleanField, choiceField, fieldsOf } from './common/fields.ts';
import type { Step } from './common/step.ts';

const schema = fieldsOf('look', {
  dark_mode: booleanField({
    description: 'Value of `prefers-color-scheme`: true is `dark`, false is `light`',
    example: true,
  }).optional(),
  reduced_motion: booleanField({
    description: 'Value of `prefers-reduced-motion`: true is `reduce`, false is `no-preference`',
    example: true,
  }).optional(),
  media_type: choiceField(['screen', 'print'], {
    description: 'CSS media type for any format. Default: `print` for pdf, otherwise `screen`',
    example: 'print',
  }).optional(),
});

/** Sets the emulated CSS media type and features. */
export const media: Step<typeof schema> = {
  name: 'media',
  schema,
  apply: async (page, options) => {
    const { dark_mode: isDark, reduced_motion: isReduced, media_type: type } = options;
    if (isDark === undefined && isReduced === undefined && type === undefined) return;
    const emulated = emulatedMedia(options);
    await page.onSession((session) => session.send('Emulation.setEmulatedMedia', emulated));
  },
};

/** Returns all emulated values together: a value that a call omits is reset. */
export function emulatedMedia({
  dark_mode: isDark,
  reduced_motion: isReduced,
  media_type: type,
}: z.output<typeof schema>): Protocol.Emulation.SetEmulatedMediaRequest {
  const features = [
    ...(isDark === undefined ? [] : [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]),
    ...(isReduced === undefined
      ? []
      : [{ name: 'prefers-reduced-motion', value: isReduced ? 'reduce' : 'no-preference' }]),
  ];
  return { features, ...(type !== undefined && { media: type }) };
}
