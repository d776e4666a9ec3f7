/** A word of a page, in points from the upper left corner. */
export interface PdfWord {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Size of its font in points. */
  readonly size: number;
  /** Index of its font in `fonts`. */
  readonly font: number;
  /** How the text is turned on the page, in degrees clockwise. */
  readonly angle: 0 | 90 | 180 | 270;
}

export interface PdfPage {
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** In reading order. */
  readonly words: readonly PdfWord[];
}

/** What a document says. */
export interface PdfContents {
  /** Number of all pages. */
  readonly pageCount: number;
  /** The pages that were read. */
  readonly pages: readonly PdfPage[];
  /** Names of the fonts of these pages. */
  readonly fonts: readonly string[];
  /** Entries of the document information that are not empty. */
  readonly info: Readonly<Record<string, string>>;
  /** True if the rest of the text was not read, because it is too long. */
  readonly isCut: boolean;
  /** Share of the letters that have no meaning in the document: programs can't know what a person reads. */
  readonly oddShare: number;
}

/** A picture of a page: four bytes for each pixel (red, green, blue, alpha), row by row. */
export interface PdfPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Which pages are read. */
export interface PdfRange {
  readonly password?: string | undefined;
  /** Number of the first page, from 1. */
  readonly firstPage: number;
  readonly maxPages: number;
  /** True to read the texts of form fields and annotations, too. */
  readonly drawsForms?: boolean;
}
