import type { Response } from 'express';
import { z } from 'zod';
import type { OwnSite } from '../../../core/egress/gate/own-site.ts';
import { validationError } from '../../../core/ground/errors.ts';
import { parseBody } from '../../../core/http/request/read-body.ts';
import { contextOf } from '../../../core/http/request/request-context.ts';
import { documentFields } from '../../../features/documents/document-fields.ts';
import { pageRanges } from '../../../features/documents/page-ranges.ts';
import type { Compose, ComposeContext, Composing } from '../../documents/compose.ts';
import type { Pieces } from '../../documents/documents-work.ts';
import type { Fields } from '../convert-options.ts';
import { permissionsOf } from './engine-options.ts';
import { attachmentsOf } from './gotenberg-attachments.ts';
import { ATTACHED_AS } from './gotenberg-options.ts';

const { shape } = documentFields;

const finishingFields = z.object({
  facts: z.record(z.string(), z.string()).optional(),
  flatten: z.boolean().default(false),
  outline: z.enum(['keep', 'titles', 'none']).default('keep'),
  rotate: z.number().optional(),
  split_mode: z.enum(['pages', 'intervals']).optional(),
  split_span: z.string().optional(),
  split_unify: z.boolean().default(false),
  pdf_standard: shape.pdf_standard,
  pdf_attachments: shape.pdf_attachments,
  pdf_password: shape.pdf_password,
  pdf_owner_password: shape.pdf_owner_password,
  pdf_permissions: shape.pdf_permissions,
  pdf_watermark: shape.pdf_watermark,
});

/** What a form asks for besides the work of its route. */
export interface Finishing {
  readonly pdf: Composing;
  readonly flatten: boolean;
  readonly rotate: number | undefined;
  readonly split: {
    readonly mode: 'pages' | 'intervals' | undefined;
    readonly span: string | undefined;
    readonly unify: boolean;
  };
}

/** @throws ServiceError ValidationError that names the field */
export function readFinishing(fields: Fields, ownSite: OwnSite | undefined): Finishing {
  const { [ATTACHED_AS]: attachedAs, denied, ...others } = fields;
  const permissions = permissionsOf(denied);
  const given = parseBody(finishingFields, {
    ...others,
    ...attachmentsOf(others, attachedAs),
    ...(permissions !== undefined && { pdf_permissions: permissions }),
  });
  const { flatten, rotate, split_mode: mode, split_span: span, split_unify: unify, ...pdf } = given;
  if (permissions !== undefined && pdf.pdf_owner_password === undefined)
    throw validationError("form field 'ownerPassword' is required to deny permissions");
  return { pdf: { ...pdf, ownSite }, flatten, rotate, split: { mode, span, unify } };
}

/**
 * Returns how documents are split. Undefined: not at all.
 * @throws ServiceError ValidationError that names the field
 */
export function splitOf({ split: { mode, span, unify } }: Pick<Finishing, 'split'>): Pieces | undefined {
  if (mode === undefined && span === undefined) return undefined;
  if (mode === undefined) throw validationError("form field 'splitMode' is required");
  if (span === undefined) throw validationError("form field 'splitSpan' is required");
  if (mode === 'intervals') {
    const pages = /^\d{1,6}$/.test(span) ? Number(span) : 0;
    if (pages < 1) throw validationError(`form field 'splitSpan' is invalid (got '${span.slice(0, 50)}')`);
    return { mode, span: pages };
  }
  const { success, data, error } = pageRanges.safeParse(span);
  if (success) return { mode, span: data, unify };
  throw validationError(`form field 'splitSpan' ${error.issues[0]?.message ?? 'is invalid'}`);
}

/** A document of the form, or of a page, and the password that opens it. */
export interface NamedPdf {
  readonly name: string;
  readonly body: Buffer;
  readonly password?: string | undefined;
}

interface Doing {
  readonly compose: Compose;
  readonly response: Response;
}

/** Splits documents. The pieces of `a.pdf` are `a_0.pdf`, `a_1.pdf` and so on. */
export async function splitAll(
  files: readonly NamedPdf[],
  pieces: Pieces,
  { compose, response }: Doing,
): Promise<readonly NamedPdf[]> {
  const made: NamedPdf[] = [];
  for (const { name, body, password } of files) {
    const parts = await compose.change(contextOfOne(response, name), (work) => work.split({ body, password }, pieces));
    const stem = name.replace(/\.pdf$/i, '');
    const isOne = pieces.mode === 'pages' && pieces.unify;
    for (const [index, part] of parts.documents.entries())
      made.push({ name: isOne ? name : `${stem}_${index}.pdf`, body: bufferOf(part) });
  }
  return made;
}

/** Does with each document what the form asks for, and with as little change as possible. */
export async function finishAll(
  files: readonly NamedPdf[],
  { pdf, flatten, rotate }: Finishing,
  { compose, response }: Doing,
): Promise<readonly NamedPdf[]> {
  const { outline: _outline, facts, ownSite: _site, ...others } = pdf;
  const changes = Object.values(others).some((value) => value !== undefined) || rotate !== undefined;
  const made: NamedPdf[] = [];
  for (const { name, body, password } of files) {
    const context = contextOfOne(response, name);
    if (changes) {
      const joined = await compose.join([{ file: { body, password }, rotate }], { ...pdf, flatten }, context);
      made.push({ name, body: joined.body });
      continue;
    }
    let changed = body;
    if (flatten) changed = bufferOf((await compose.change(context, (work) => work.flatten({ body: changed }))).body);
    if (facts !== undefined)
      changed = bufferOf((await compose.change(context, (work) => work.write({ body: changed }, facts))).body);
    made.push({ name, body: changed });
  }
  return made;
}

function contextOfOne(response: Response, name: string): ComposeContext {
  const { id, client, key, log, span, signal } = contextOf(response);
  return { id, client, key, log, span, signal, nameOf: () => name };
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
