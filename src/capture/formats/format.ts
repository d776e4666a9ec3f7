import type { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import type { area } from '../../steps/area.ts';
import type { media } from '../../steps/media.ts';
import type { viewport } from '../../steps/viewport.ts';
import type { WarningCode } from '../../steps/common/step.ts';
import type { markdownFields } from '../markdown/markdown-fields.ts';
import type { DocumentOptions } from './pdf/document-fields.ts';
import type { PictureTurns } from './pictures/picture-turns.ts';
import type { pictureFields, resizeFields } from './raster-fields.ts';

/** The request fields that a format may look at. */
export type RenderOptions = z.output<typeof area.schema> &
  z.output<typeof viewport.schema> &
  z.output<typeof pictureFields> &
  z.output<typeof resizeFields> &
  z.output<typeof media.schema> &
  DocumentOptions &
  z.output<typeof markdownFields>;

/** What a format makes of a page. */
export interface Rendering {
  readonly body: Buffer;
  /** Device pixels; pictures only. */
  readonly size?: { readonly width: number; readonly height: number };
  /** What the client is told of how it was made. */
  readonly warnings?: readonly WarningCode[];
}

/** What a format has of a page, and has yet to make something of: the page is needed no more. */
interface Unfinished {
  /** @throws the signal's reason as soon as it fires. */
  readonly finish: (signal: AbortSignal) => Promise<Rendering>;
}

export interface RenderLimits {
  /** Largest picture, in device pixels. */
  readonly maxPixels: number;
  /** Largest result of any format, in bytes. */
  readonly maxResultBytes: number;
  /** For pictures that the browser alone does not make. */
  readonly pictureTurns: PictureTurns;
}

/** An output format: its facts, and how it is made. Nothing outside `formats/` asks which format it is. */
export interface Format {
  readonly mimeType: string;
  readonly extension: string;
  /** Longest side that the format can hold, in pixels; undefined where it has no such limit. */
  readonly maxSide?: number;
  /** False for source text: nobody will see how the page looks. */
  readonly isPainted: boolean;
  /** True when it is laid out on paper. */
  readonly isPaged: boolean;
  /** True when all of the page is in the result, whatever area was asked for. */
  readonly showsWholePage: boolean;
  /** True where the browser can not make it while the time of the page stands still. */
  readonly needsTime?: boolean;
  /** Response headers that this kind of content needs. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Refuses, before any work, what can be known to be too large.
   * @throws ServiceError ResultTooLargeError.
   */
  readonly check: (options: RenderOptions, limits: Pick<RenderLimits, 'maxPixels'>) => void;
  /**
   * Refuses, as soon as the page is there, what it can only make too large: before it is scrolled and rendered.
   * @throws ServiceError ResultTooLargeError.
   */
  readonly checkLoaded: (
    page: Page,
    options: RenderOptions,
    limits: Pick<RenderLimits, 'maxPixels'>,
  ) => Promise<void>;
  readonly render: (
    page: Page,
    options: RenderOptions,
    limits: RenderLimits,
  ) => Promise<Rendering | Unfinished>;
}
