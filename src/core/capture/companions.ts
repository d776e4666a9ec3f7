import type { Page } from '../browser/page/page.ts';
import type { Companion, Feature, PartsRead } from '../feature.ts';
import { type CaptureOptions, features } from './request/options.ts';

/** All companions of a capture, as one. */
interface AllCompanions extends Required<Omit<Companion, 'digest'>> {
  /** Undefined if no companion has one. */
  readonly digest: () => Promise<string | undefined>;
}

type Accompany = NonNullable<Feature<CaptureOptions>['accompany']>;

/** Returns what all features do beside one capture, as one companion. */
export function accompany(page: Page, options: CaptureOptions, given: Parameters<Accompany>[2]): AllCompanions {
  const all = features.flatMap((feature) => feature.accompany?.(page, options, given) ?? []);
  return {
    listen: async () => void (await Promise.all(all.map(async (each) => await each.listen?.()))),
    check: async () => {
      for (const each of all) await each.check?.();
    },
    digest: async () => await all.find(({ digest }) => digest !== undefined)?.digest?.(),
    readBeside: async (render) => {
      const read: PartsRead[] = [];
      const nested = all.reduceRight<typeof render>((inner, { readBeside }) => {
        if (readBeside === undefined) return inner;
        return async () => {
          const { file, parts } = await readBeside(inner);
          read.push(parts);
          return file;
        };
      }, render);
      const file = await nested();
      const texts = new Map(read.flatMap((parts) => [...parts.texts]));
      return { file, parts: { texts, warnings: read.flatMap(({ warnings }) => warnings) } };
    },
  };
}
