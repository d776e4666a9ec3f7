// The elements of a page as a comparison reads them. Without other imports, because its process needs only this.
import { z } from 'zod';

/** Most elements, and most masked elements, of a page. */
export const MOST_ELEMENTS = 20_000;

const number = z.number();

export const elementsSchema = z.object({
  /** Index of the parent, step of the selector, box on the page in CSS pixels, short text. */
  entries: z.array(z.tuple([number, z.string(), number, number, number, number, z.string()])).max(MOST_ELEMENTS),
  /** Number of matches of each masked selector. -1: it is not valid. */
  matches: z.array(number),
  /** Boxes in which a person sees the matches, four numbers each. */
  boxes: z.array(number).max(4 * MOST_ELEMENTS),
  /** There are more matches, or more boxes of them. */
  truncated: z.literal(true).optional(),
  /** Place of the window on the page, and pixels of the window for a pixel of the page. */
  window: z.tuple([number, number, number]),
});

export type PageElements = z.output<typeof elementsSchema>;
