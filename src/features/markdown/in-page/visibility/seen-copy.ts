import type { Pictures } from '../element-copier.ts';
import { visibleCopy } from '../visible-copy.ts';
import { openVisibility } from './open-visibility.ts';
import type { TextVisibility } from './text-visibility.ts';

/** What a person can see of the page. */
interface Seen {
  readonly visibility: TextVisibility;
  /** Undefined: it must be made again, because pixels had to judge texts, or because it was taken. */
  copy: Document | undefined;
}

/** Keeps the work of `findDoubts` for `seenCopy`. Runs in the page. */
export function keepSeen(seen: Seen | undefined): void {
  Object.assign(globalThis, { captureSeenCopy: seen });
}

/** Returns a copy of the texts that a person can see, and which were left out. Runs in the page. */
export function seenCopy(start: readonly Element[] | null, pictures: Pictures): Seen & { readonly copy: Document } {
  const kept: Seen | undefined = Reflect.get(globalThis, 'captureSeenCopy');
  const { visibility, copy } = kept ?? { visibility: openVisibility(), copy: undefined };
  if (kept !== undefined) kept.copy = undefined; // its readers change it
  if (copy !== undefined) return { visibility, copy };
  visibility.begin();
  return { visibility, copy: visibleCopy(start, { shown: visibility.shown, pictures }) };
}
