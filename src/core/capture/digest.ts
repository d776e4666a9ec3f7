import { createHash } from 'node:crypto';
import { type CaptureOptions, textOfOptions } from './request/options.ts';

/** What all results of a service depend on. */
interface Surroundings {
  /** Version of this service. */
  readonly version: string;
  /** Version of the running browser. */
  readonly browser: () => string | undefined;
  /** Flags of the browser. */
  readonly flags: readonly string[];
  /** Returns the SHA-256 of the fonts of the machine. Called once. */
  readonly fonts: () => Promise<string>;
}

/** Returns the SHA-256 of what a reproducible capture depends on, in hexadecimal digits. */
export type DigestOf = (options: CaptureOptions, loaded: string) => Promise<string>;

export function createDigest({ version, browser, flags, fonts }: Surroundings): DigestOf {
  let known: Promise<string> | undefined;
  return async (options, loaded) => {
    known ??= fonts();
    const depends = [
      version,
      browser(),
      flags,
      await known,
      textOfOptions({ ...options, cache_ttl: 0, include: undefined }),
      loaded,
    ];
    return createHash('sha256').update(JSON.stringify(depends)).digest('hex');
  };
}
