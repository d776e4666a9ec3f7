import type { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import type { area } from '../../steps/area.ts';
import type { media } from '../../steps/media.ts';
import type { timeFields } from '../../steps/readiness/run-ahead.ts';
import type { viewport } from '../../steps/viewport.ts';
import type { Size, WarningCode } from '../../steps/common/step.ts';
import type { Box } from '../../steps/in-page/placement.ts';
import type { visitor } from '../../steps/visitor.ts';
import type { EncodeLimit } from './pictures/encode-limit.ts';
import type { pictureFields, resizeFields } from './raster-fields.ts';

/** Request fields of the core that a format may read. */
export type RenderOptions = z.output<typeof area.schema> &
  z.output<typeof viewport.schema> &
  z.output<typeof pictureFields> &
  z.output<typeof resizeFields> &
  z.output<typeof media.schema> &
  z.output<typeof timeFields> &
  Pick<z.output<typeof visitor.schema>, 'locale'>;

/** One of several pictures in a result, with its place on the page in CSS pixels. */
export interface ElementPicture extends Box {
  readonly content_type: string;
  /** Its length. The pictures follow each other. */
  readonly bytes: number;
}

/** Result of rendering a page. */
export interface Rendering {
  readonly body: Buffer;
  /** The pictures in `body`. Undefined: it is one file. */
  readonly elements?: readonly ElementPicture[] | undefined;
  /** Size in device pixels, only for pictures. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Where the picture begins on the page, in CSS pixels, and its zoom. Undefined: at the window, with its zoom. */
  readonly place?: { readonly x: number; readonly y: number; readonly zoom: number } | undefined;
  /** Factor by which a document was scaled to its paper. Undefined: it was not. */
  readonly scale?: number | undefined;
  /** Warnings for the client. */
  readonly warnings?: readonly WarningCode[];
}

/** Rendered data that still needs work without the page. */
export interface Unfinished {
  /** @throws the signal's reason as soon as it fires */
  readonly finish: (signal: AbortSignal) => Promise<Rendering>;
}

export interface RenderLimits {
  /** Maximum picture size in device pixels. */
  readonly maxPixels: number;
  /** Maximum result size in bytes, in any format. */
  readonly maxResultBytes: number;
  /** Concurrency limit for encoding pictures outside the browser. */
  readonly encodeLimit: EncodeLimit;
}

/** An output format: its properties, and how to render it. */
export interface Format<Options = RenderOptions> {
  readonly mimeType: string;
  readonly extension: string;
  /** Longest side in pixels. Undefined: unlimited. */
  readonly maxSide?: number;
  /** False for text formats: the appearance of the page does not matter. */
  readonly isPainted: boolean;
  /** Returns the size of the page's paper without its margins. Undefined for formats without paper. */
  readonly paper?: (page: Page, options: Options) => Promise<Size>;
  /** True if the result always contains the whole page, independent of the requested area. */
  readonly showsWholePage: boolean;
  /** True if the browser can't render it while page time is stopped. */
  readonly needsTime?: boolean;
  /** True if WebGL canvases have to keep what they draw, which costs memory. */
  readonly keepsDrawings?: boolean;
  /** Response headers for this type of content. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Refuses sizes that are too large by the request alone.
   * @throws ServiceError ResultTooLargeError
   */
  readonly check: (options: Options, limits: Pick<RenderLimits, 'maxPixels'>) => void;
  /**
   * Refuses pages that are too large, after load and before scrolling and rendering.
   * @throws ServiceError ResultTooLargeError
   */
  readonly checkLoaded: (page: Page, options: Options, limits: Pick<RenderLimits, 'maxPixels'>) => Promise<void>;
  readonly render: (page: Page, options: Options, limits: RenderLimits) => Promise<Rendering | Unfinished>;
  /** True for a result that shows nothing if the page does not. Undefined: no result does. */
  readonly isBlank?: (body: Buffer, limits: Pick<RenderLimits, 'encodeLimit'>, signal: AbortSignal) => Promise<boolean>;
}
