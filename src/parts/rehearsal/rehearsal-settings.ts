import { z } from 'zod';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Settings of the browser that is tried beside the present one. */
export const REHEARSAL_SETTINGS = {
  browserNext: setting('BROWSER_NEXT', {
    form: 'the path of a Chrome or Chromium executable, or of an installed package @sparticuz/chromium',
    schema: z.string(),
    meaning:
      'Another browser, with which a share of the captures is made again, to learn what it would change. Clients get the results of the present one. It needs about 200 MB of memory',
  }),
  browserNextShare: setting('BROWSER_NEXT_SHARE', {
    form: 'a number from 0 to 1',
    schema: z
      .string()
      .regex(/^[01](?:\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().max(1)),
    default: '0.1',
    meaning: 'Share of the captures that BROWSER_NEXT makes again',
  }),
};

export type RehearsalSettings = ConfigOf<typeof REHEARSAL_SETTINGS>;
