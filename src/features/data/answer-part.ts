import type { z } from 'zod';
import type { Page } from '../../core/browser/page/page.ts';
import type { ComparedOptions } from '../../core/steps/area.ts';
import type { RenderOptions } from '../../core/capture/formats/format.ts';
import type { MarkdownOptions } from '../markdown/markdown-fields.ts';
import type { ExtractOptions } from './extract/extract-fields.ts';
import type { Mask } from './secrets.ts';

/** Options that parts read. */
export type PartOptions = RenderOptions & MarkdownOptions & ExtractOptions & ComparedOptions;

/** Options for reading a part in the page. */
interface Taking {
  /** True on a retry, after reading the part has broken the browser: use the simplest way. */
  readonly isPlain: boolean;
}

/**
 * A part of a JSON answer. Each part is bounded and has `truncated: true` if it was cut. It is read in one of three
 * ways.
 */
export interface Part {
  /** Description for the documentation. */
  readonly description: string;
  readonly schema: z.ZodObject;
  /**
   * A function expression for the page that returns a `PartTaken`. All of these run in one turn of the page's event
   * loop.
   */
  readonly script?: (options: PartOptions, taking: Taking) => Promise<string> | string;
  /**
   * Listens to browser events from before the first request. Returns a function with the result, or undefined if the
   * part is not requested.
   */
  readonly listen?: (page: Page, mask: Mask) => Promise<(() => object) | undefined>;
  /** Queries the browser while the page is paused. */
  readonly query?: (page: Page, mask: Mask) => Promise<object>;
}

/** Limits that parts share. Characters are UTF-16 code units, as in JavaScript. */
export const PART_LIMITS = {
  /** Characters of markup or markdown. */
  text: 5_000_000,
  /** Characters of a URL. */
  address: 2_000,
  /** Characters of a name, a link text and similar. */
  name: 500,
} as const;
