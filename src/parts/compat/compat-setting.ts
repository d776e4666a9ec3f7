import { z } from 'zod';
import { refuse, splitList } from '../../core/config/parsers.ts';
import { type ConfigOf, setting } from '../../core/config/setting.ts';

/** Services whose interface COMPAT can add. */
export const COMPAT_NAMES = ['gotenberg', 'screenshotone', 'browserless', 'firecrawl'] as const;
export type CompatName = (typeof COMPAT_NAMES)[number];

function parseCompat(text: string, context: z.RefinementCtx): CompatName[] {
  return splitList(text.toLowerCase()).map((name) => {
    const known = COMPAT_NAMES.find((each) => each === name);
    return known ?? refuse(context, `${JSON.stringify(name)} is not one of them`);
  });
}

/** Settings of the interfaces of other services. */
export const COMPAT_SETTINGS = {
  compat: setting('COMPAT', {
    form: `a comma-separated list of ${COMPAT_NAMES.join(', ')}`,
    schema: z.string().transform(parseCompat),
    default: '',
    meaning: 'Services whose clients work with this one: adds their routes',
  }),
};

export type CompatSettings = ConfigOf<typeof COMPAT_SETTINGS>;
