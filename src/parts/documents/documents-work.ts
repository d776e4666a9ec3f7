import type { Assembled, OutlineMode } from './assembly/assemble.ts';
import type { PartOptions } from './assembly/choose-pages.ts';
import type { DocumentFacts, NewFacts } from './assembly/facts.ts';
import type { Finishing } from './assembly/finish.ts';
import type { GivenFile } from './assembly/source-document.ts';

/** A file, and which of its pages a new document has. */
export interface GivenPart extends PartOptions {
  readonly file: GivenFile;
}

/** What is known of a document that is assembled, and not finished. */
export interface AssembledFacts extends Pick<Assembled, 'warnings' | 'claims'> {
  /** Sizes of its pages as they are seen, in points. */
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
}

type Warnings = Pick<Assembled, 'warnings'>;

/** A document with what was left out of it. */
interface ChangedDocument extends Warnings {
  readonly body: Uint8Array;
}

/** The pieces of a document. */
export interface SplitDocument extends Warnings {
  readonly documents: readonly Uint8Array[];
}

/** What the process of documents does. */
export interface DocumentsWork {
  readonly assemble: (parts: readonly GivenPart[], outline: OutlineMode) => Promise<AssembledFacts>;
  /** Finishes the document that was assembled. `overlay` has a page for each of its pages. */
  readonly finish: (finishing: Finishing, overlay?: Uint8Array) => Promise<Uint8Array>;
  /** Returns a document for each list of ranges. */
  readonly split: (file: GivenFile, pieces: Pieces) => Promise<SplitDocument>;
  readonly facts: (file: GivenFile) => Promise<DocumentFacts>;
  readonly write: (file: GivenFile, facts: NewFacts) => Promise<ChangedDocument>;
  readonly flatten: (file: GivenFile) => Promise<ChangedDocument>;
}

/** How a document is split: each so many pages, each page of these ranges, or these ranges as one document. */
export type Pieces =
  | { readonly mode: 'intervals'; readonly span: number }
  | { readonly mode: 'pages'; readonly span: string; readonly unify: boolean };

/** A result of the process, the part that can't be used and why, or why the document can't be an archive. */
export type DocumentsAnswer<T> =
  { readonly value: T } | { readonly part: number; readonly problem: string } | { readonly rejection: string };
