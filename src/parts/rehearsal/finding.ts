/** A box from the upper left corner: in points of a page, or in pixels of a picture. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type FindingKind =
  'pages' | 'paper' | 'words' | 'places' | 'pixels' | 'fonts' | 'facts' | 'lines' | 'warnings' | 'failed';

/** Something that differs between two results of the same capture. */
export interface Finding {
  readonly kind: FindingKind;
  /** A sentence for people. */
  readonly message: string;
  /** Number of the page, from 1. */
  readonly page?: number;
  /** The largest or first place that differs. */
  readonly box?: Box;
}

/** The result of one browser. */
export interface Result {
  readonly body: Uint8Array;
  readonly warnings: readonly string[];
}

/** Two pictures, compared. */
export interface PictureDifference {
  readonly regions: readonly Box[];
  /** Differing pixels, divided by all. */
  readonly ratio: number;
}
