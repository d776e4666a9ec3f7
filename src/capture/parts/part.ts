import type { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import type { RenderOptions } from '../formats/format.ts';
import type { Mask } from './secrets.ts';

/** How an in-page part is to be taken. */
interface Taking {
  /** True on a second try, when the first was too much for the browser: as simple as it can be. */
  readonly isPlain: boolean;
}

/** What a json answer may have beside the file. Each is bounded, and says `truncated: true` where it was cut. It is had in one of three ways. */
export interface Part {
  /** In words for the documentation. */
  readonly description: string;
  readonly schema: z.ZodObject;
  /** An expression of a function for the page that gives a `PartTaken`; all of these run in one go. */
  readonly script?: (options: RenderOptions, taking: Taking) => Promise<string> | string;
  /** Listens to the browser from before the first request on; gives what tells of what was heard, unless it is asked for. */
  readonly listen?: (page: Page, mask: Mask) => Promise<(() => object) | undefined>;
  /** Asks the browser, while the page is held. */
  readonly ask?: (page: Page, mask: Mask) => Promise<object>;
}

/** Bounds that parts share. Characters are UTF-16 code units, as script counts. */
export const PART_LIMITS = {
  /** Characters of a markup or markdown. */
  text: 5_000_000,
  /** Characters of an address. */
  address: 2_000,
  /** Characters of a name, the text of a link or the like. */
  name: 500,
} as const;
