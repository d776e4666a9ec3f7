import type { Box } from './pictures/bitmap.ts';
import type { Region } from './pictures/region.ts';

/** Fields of a capture that change nothing about its comparison. */
export const UNUSED_FIELDS = [
  'format',
  'image_quality',
  'selector_each',
  'response_type',
  'include',
  'extract',
  'store',
  'store_path',
  'file_name',
  'disposition',
];

/** Where a picture shows its page. */
interface Place {
  /** Corner of the picture on the page, in CSS pixels. Undefined: that of the window when the elements were read. */
  readonly page: { readonly x: number; readonly y: number; readonly zoom: number } | undefined;
  /** Device pixels per pixel of the window. */
  readonly density: number;
}

export interface ComparedSide {
  readonly bytes: Uint8Array;
  /** JSON of the elements of the page, as the page wrote it. Undefined: they are at unknown places. */
  readonly elements?: Uint8Array | undefined;
  readonly place?: Place | undefined;
}

/** A comparison as the process gets it. */
export interface CompareCall {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  /** Boxes of both pictures that are left out. */
  readonly ignored: readonly Box[];
  /** Selectors of the elements that are left out, as `elements` counts them. */
  readonly selectors: readonly string[];
  /** Largest colour distance that counts as equal, from 0 to 1. */
  readonly threshold: number;
  readonly align: 'rows' | 'none';
  /** Format of the picture with marks. Undefined: none. */
  readonly format: 'png' | 'webp' | undefined;
  /** Of each picture. */
  readonly maxPixels: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A region with the selector of its element, and the texts of that on both sides. */
export interface NamedRegion extends Pick<Region, 'x' | 'y' | 'width' | 'height' | 'kind' | 'rowInAfter'> {
  readonly selector?: string;
  readonly before?: string;
  readonly after?: string;
}

export interface Compared {
  readonly pixels: number;
  readonly before: Size;
  readonly after: Size;
  /** The largest ones, if there are too many. */
  readonly regions: readonly NamedRegion[];
  readonly isTruncated: boolean;
  /** Selectors that match nothing on either side. */
  readonly unmatched: readonly string[];
  readonly picture: Uint8Array | undefined;
}

/** A line that differs. `line` is its number in the later text; for `removed`, that of the next line. */
export interface LineChange {
  readonly kind: 'changed' | 'added' | 'removed';
  readonly line: number;
  readonly before?: string;
  readonly after?: string;
}

export interface ComparedTexts {
  readonly changes: readonly LineChange[];
  /** Changed lines, divided by all lines of both texts. */
  readonly ratio: number;
  readonly isTruncated: boolean;
}

/** What the process answers: a value, why the pictures can't be compared, or what is wrong with the request. */
export type CompareAnswer<T> = { readonly value: T } | { readonly problem: string } | { readonly invalid: string };

/** Returns a region without what is for programs of this service. */
export function shownRegion({
  x,
  y,
  width,
  height,
  kind,
  selector,
  before,
  after,
}: NamedRegion): Omit<NamedRegion, 'rowInAfter'> {
  const texts = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  return { x, y, width, height, kind, ...(selector !== undefined && { selector }), ...texts };
}
