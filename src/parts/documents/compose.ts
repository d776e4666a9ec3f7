import { extname } from 'node:path';
import { lookup } from 'mime-types';
import type { Capture } from '../../core/capture/capture.ts';
import type { ParseFields } from '../../core/capture/request/request-parser.ts';
import { resultTooLarge, ServiceError, validationError } from '../../core/ground/errors.ts';
import type { WarningCode } from '../../core/steps/common/step.ts';
import type { DocumentOptions } from '../../features/documents/document-fields.ts';
import { encryptDocument, lockOf } from '../../features/documents/encryption/encrypt-document.ts';
import {
  type AttachmentOptions,
  checkAttachments,
  contentOf,
  facturXOf,
} from '../../features/documents/standards/attachments.ts';
import { rejection } from '../../features/documents/standards/rejection.ts';
import type { OutlineMode } from './assembly/assemble.ts';
import type { Claims } from './assembly/claims.ts';
import type { NewFacts } from './assembly/facts.ts';
import type { NewFile } from './assembly/finish.ts';
import { PartError } from './assembly/part-error.ts';
import type { Documents } from './documents.ts';
import type { AssembledFacts, DocumentsWork, GivenPart } from './documents-work.ts';
import { MOST_OVERLAID, overlayPage } from './overlay-page.ts';

/** What a new document has besides its parts. */
export interface Composing
  extends
    AttachmentOptions,
    Partial<
      Pick<
        DocumentOptions,
        | 'pdf_title'
        | 'pdf_author'
        | 'pdf_subject'
        | 'pdf_keywords'
        | 'pdf_watermark'
        | 'pdf_password'
        | 'pdf_owner_password'
        | 'pdf_permissions'
      >
    > {
  readonly outline: OutlineMode;
  readonly page_numbers?: { readonly template: string } | undefined;
  /** More entries of the document information. */
  readonly facts?: NewFacts;
  /** True to draw form fields and annotations onto the pages. */
  readonly flatten?: boolean;
}

/** A finished document. */
interface Composed {
  readonly body: Buffer;
  readonly warnings: readonly WarningCode[];
}

type CaptureContext = Parameters<Capture>[1];

interface ComposeOptions {
  readonly documents: Documents;
  readonly capture: Capture;
  readonly parseFields: ParseFields;
  readonly maxResultBytes: number;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Makes documents of documents. */
export interface Compose {
  /**
   * Joins parts.
   * @param nameOf returns the name of a part for errors
   * @throws ServiceError ValidationError that names a part or a field; PageRejectedError for a standard that can't be
   *   met; ResultTooLargeError
   */
  readonly join: (parts: readonly GivenPart[], composing: Composing, context: ComposeContext) => Promise<Composed>;
  /** Works on one document. Throws as `join`. */
  readonly change: <T>(context: ComposeContext, use: (work: DocumentsWork) => Promise<T>) => Promise<T>;
}

export interface ComposeContext extends CaptureContext {
  readonly client: string;
  readonly nameOf: (part: number) => string;
}

/** Creates what the routes of documents, and of Gotenberg, share. */
export function createCompose({ documents, capture, parseFields, maxResultBytes, now }: ComposeOptions): Compose {
  const change: Compose['change'] = async ({ client, signal, nameOf }, use) =>
    await documents.withProcess(client, signal, use).catch((error: unknown) => {
      throw inWords(error, nameOf);
    });

  /** Prints what lies over the pages. Undefined for nothing. */
  const printOverlay = async (
    { sizes }: AssembledFacts,
    { pdf_watermark: watermark, page_numbers: numbers }: Composing,
    context: CaptureContext,
  ): Promise<Buffer | undefined> => {
    if (watermark === undefined && numbers === undefined) return undefined;
    if (sizes.length > MOST_OVERLAID) {
      const field = numbers === undefined ? 'pdf_watermark' : 'page_numbers';
      throw validationError(`${field}: needs a document of at most ${MOST_OVERLAID} pages`);
    }
    const { capture: options } = await parseFields({
      html_content: overlayPage(sizes),
      format: 'pdf',
      pdf_tagged: false,
      pdf_margin: numbers === undefined ? 0 : '1cm',
      pdf_watermark: watermark,
      pdf_footer_html: numbers?.template,
    });
    return (await capture(options, context)).file;
  };

  return {
    change,
    join: async (parts, composing, context) => {
      checkAttachments(composing);
      const facturX = facturXOf(composing);
      const { body, warnings } = await change(context, async (work) => {
        const assembled = await work.assemble(parts, composing.outline);
        const claims = claimsFor(composing, assembled, context.nameOf);
        const overlay = await printOverlay(assembled, composing, context);
        const files = filesOf(composing);
        const facts = { ...factsOf(composing), ...composing.facts };
        const finished = await work.finish({ facts, files, claims, facturX, nowMs: now() * 1_000 }, overlay);
        const { body: whole } =
          composing.flatten === true ? await work.flatten({ body: finished }) : { body: finished };
        return { body: whole, warnings: assembled.warnings };
      });
      if (body.length > maxResultBytes) throw resultTooLarge(maxResultBytes);
      const lock = lockOf(composing);
      const whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      return { body: lock === undefined ? whole : await encryptDocument(whole, lock, context.signal), warnings };
    },
  };
}

/**
 * Returns the standards that the document will claim. Archives are checked; for screen readers, all parts must be made.
 * @throws ServiceError PageRejectedError for parts that are not
 */
function claimsFor(
  { pdf_standard: standards = [] }: Composing,
  { claims, warnings }: AssembledFacts,
  nameOf: (part: number) => string,
): Claims {
  const archivePart = standards.includes('PDF/A-3b') ? 3 : standards.includes('PDF/A-2b') ? 2 : undefined;
  const isAccessible = standards.includes('PDF/UA-1');
  const without = isAccessible ? claims.findIndex((claim) => !claim.isAccessible) : -1;
  if (without !== -1) throw rejection(`${nameOf(without)} is no PDF/UA-1`);
  if (isAccessible && warnings.includes('pdf_tags_incomplete')) throw rejection('not all parts have tags');
  return { archivePart, isAccessible };
}

function factsOf({ pdf_title, pdf_author, pdf_subject, pdf_keywords }: Composing): NewFacts {
  const given = { Title: pdf_title, Author: pdf_author, Subject: pdf_subject, Keywords: pdf_keywords };
  return Object.fromEntries(Object.entries(given).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])));
}

function filesOf(composing: Composing): readonly NewFile[] {
  return (composing.pdf_attachments ?? []).map((attachment) => {
    const { name, media_type: type, description, relationship } = attachment;
    return {
      name,
      content: contentOf(attachment, composing),
      mediaType: type ?? (lookup(extname(name)) || 'application/octet-stream'),
      description,
      relationship: `${relationship[0]?.toUpperCase()}${relationship.slice(1)}`,
    };
  });
}

const SENTENCES: Readonly<Record<string, string>> = {
  not_a_pdf: 'must be a PDF, and not damaged',
  unsupported: 'has an encryption that the service does not know',
  password_needed: 'needs the right password',
};

function inWords(error: unknown, nameOf: (part: number) => string): unknown {
  if (!(error instanceof PartError)) return error;
  const details = `${nameOf(error.part)}: ${SENTENCES[error.problem] ?? error.problem}`;
  return new ServiceError('ValidationError', undefined, { details, cause: error });
}
