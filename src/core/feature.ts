import type { z } from 'zod';
import type { Page } from './browser/page/page.ts';
import type { Format } from './capture/formats/format.ts';
import type { FormatName } from './capture/formats/format-names.ts';
import type { OwnPage } from './egress/gate/own-site.ts';
import type { GateSession } from './egress/gate/gate-session.ts';
import type { StepContext, WarningCode } from './steps/common/step.ts';
import type { Phase } from './steps/common/stopwatch.ts';

/** A step of a capture with the options that it reads. */
export interface AnyStep<Options> {
  readonly name: string;
  readonly phase?: Phase;
  readonly boundsItself?: boolean;
  readonly apply: (page: Page, options: Options, context: StepContext) => Promise<void>;
}

type FieldsOf<Each> = Each extends { readonly fields: infer Own } ? Own : never;
type ShapesAt<Fields, Place> = Fields extends { readonly [place in Place & PropertyKey]: z.ZodObject<infer Shape> }
  ? (shape: Shape) => void
  : never;
type ShapeAt<List extends readonly unknown[], Place> =
  ShapesAt<FieldsOf<List[number]>, Place> extends (shape: infer Shape) => void ? Shape : never;

/** Returns the fields that the features of a list have at this position. */
export function fieldsAt<List extends readonly Feature[], Place extends FieldPlace>(
  features: List,
  place: Place,
): ShapeAt<List, Place> {
  return Object.assign({}, ...features.map(({ fields }) => fields?.[place]?.shape));
}

/** Position of the fields of a feature among those of the core, in the schema and in the documents. */
export type FieldPlace = 'source' | 'answer' | 'act' | 'requests' | 'look' | 'formats';

/**
 * When steps of a feature run: after the load, when no request is pending, when the time of the page has run ahead,
 * after `delay_capture`, when the page is laid out for the result, and when it is painted.
 */
export type StepPlace = 'loaded' | 'silent' | 'ahead' | 'delayed' | 'laid out' | 'painted';

/**
 * What a capture can do besides the core: fields, steps and formats. A row of `features.ts`.
 * `Options` are those of a capture; a feature names only those that it reads.
 */
export interface Feature<Options = never> {
  readonly fields?: Readonly<Partial<Record<FieldPlace, z.ZodObject>>>;
  /** Steps before the first document. They run concurrently. */
  readonly before?: readonly AnyStep<Options>[];
  /** Steps for each document. */
  readonly after?: Readonly<Partial<Record<StepPlace, readonly AnyStep<Options>[]>>>;
  /** Steps of `after` that run for the first document only, because they may be the cause of the next one. */
  readonly once?: readonly AnyStep<Options>[];
  /**
   * Refuses options by themselves, before the capture.
   * @throws ServiceError ValidationError
   */
  readonly check?: (options: Options) => void;
  readonly formats?: Readonly<Partial<Record<FormatName, Format<Options>>>>;
  /** Parts that it can add to JSON answers, by their names. */
  readonly parts?: Readonly<Record<string, { readonly schema: z.ZodObject; readonly description: string }>>;
  /** Returns the addresses that a capture goes to besides its own, with their names for errors. */
  readonly addresses?: (options: Partial<Options>) => readonly NamedAddress[];
  /** Makes the markup of a request that has neither an address nor HTML. Undefined if it has no such source. */
  readonly markup?: (page: Page, options: Options) => Promise<string> | undefined;
  /** Shows files that are no web pages as such. */
  readonly standIn?: StandInMaker<Options>;
  readonly accompany?: (page: Page, options: Options, given: Surroundings<Options>) => Companion;
}

/** What the headers of an answer say about its content. */
interface FileAnswer {
  readonly mimeType: string;
  readonly url: string;
  /** The header Content-Disposition. */
  readonly disposition: string;
}

/** Makes a page that stands for a file, such as a PDF. */
export interface StandInMaker<Options> {
  /** Returns the file that the request contains. Undefined without one. */
  readonly given: (options: Options) => Buffer | undefined;
  /** True if the address most likely leads to such a file. Then it is requested once, otherwise twice. */
  readonly isLikely: (options: Options) => boolean;
  /** True if an answer of this media type may be such a file. */
  readonly isOfType: (answer: FileAnswer) => boolean;
  /** True for the content of such a file. */
  readonly isFile: (body: Buffer) => boolean;
  /** @throws ServiceError if the file can't be shown */
  readonly make: (
    body: Buffer,
    options: Options,
    given: { readonly page: Page; readonly maxPixels: number },
  ) => Promise<StandIn>;
}

/** A page that stands for a file. */
export interface StandIn extends OwnPage {
  /** Options that the page needs in place of those of the request. */
  readonly instead: object;
  /** The result, if it is the file itself. */
  readonly result: Buffer | undefined;
  readonly warnings: readonly WarningCode[];
}

interface NamedAddress {
  readonly url: string;
  readonly name: string;
}

interface Surroundings<Options> {
  readonly format: Format<Options>;
  readonly gateSession: Pick<GateSession, 'refusalOf'>;
  readonly maxResultBytes: number;
}

/** JSON text of the parts of an answer. Text, because pages make it and answers contain it as it is. */
export type Parts = ReadonlyMap<string, Buffer>;

export interface PartsRead {
  readonly texts: Parts;
  readonly warnings: readonly WarningCode[];
}

/** What a feature does beside one capture. */
export interface Companion {
  /** Starts listening on the blank page. */
  readonly listen?: () => Promise<void>;
  /**
   * Checks the page when it is ready.
   * @throws ServiceError if the request refuses such a page
   */
  readonly check?: () => Promise<void>;
  /** Returns the SHA-256 of everything that the page has loaded, in hexadecimal digits. */
  readonly digest?: () => Promise<string>;
  /** Reads parts of the answer, and renders the file of the same moment. */
  readonly readBeside?: <T>(render: () => Promise<T>) => Promise<{ readonly file: T; readonly parts: PartsRead }>;
}
