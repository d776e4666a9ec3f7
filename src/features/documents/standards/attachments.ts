import { extname } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { lookup } from 'mime-types';
import type { OwnSite } from '../../../core/egress/gate/own-site.ts';
import { validationError } from '../../../core/ground/errors.ts';
import { textString } from '../pdf-text.ts';
import { DATA_ONLY, type FacturX, INVOICE_NAMES, isInvoice, nameFor, profileOf } from './factur-x.ts';
import type { Attachment, STANDARDS } from './standard-fields.ts';

/** What decides the attachments of a document. */
export interface AttachmentOptions {
  readonly pdf_attachments?: readonly Attachment[] | undefined;
  readonly pdf_standard?: readonly (typeof STANDARDS)[number][] | undefined;
  /** The files of the request or of its template. */
  readonly ownSite?: OwnSite | undefined;
}

const pack = promisify(deflate);

/**
 * Refuses attachments whose file is not there, and e-invoices that no reader would accept.
 * @throws ServiceError ValidationError
 */
export function checkAttachments(options: AttachmentOptions): void {
  for (const [index, attachment] of (options.pdf_attachments ?? []).entries()) {
    const { file } = attachment;
    if (file !== undefined && options.ownSite?.files.has(file) !== true)
      throw validationError(`pdf_attachments[${index}].file: must name a part of files`);
  }
  facturXOf(options);
}

/**
 * Returns what makes the document an e-invoice. Undefined if nothing does.
 * @throws ServiceError ValidationError if it could not be read as such
 */
export function facturXOf(options: AttachmentOptions): FacturX | undefined {
  const { pdf_attachments: attachments = [], pdf_standard: standards } = options;
  if (standards?.includes('PDF/A-3b') !== true) return undefined;
  const named = attachments.findIndex(({ name }) => INVOICE_NAMES.has(name));
  const index = named === -1 ? attachments.findIndex((each) => isInvoice(contentOf(each, options))) : named;
  const invoice = attachments[index];
  if (invoice === undefined) return undefined;
  const { name, relationship } = invoice;
  const field = `pdf_attachments[${index}]`;
  const profile = profileOf(contentOf(invoice, options));
  if (profile === undefined) throw validationError(`${field}: ${name} must name a profile of Factur-X`);
  if (name !== nameFor(profile))
    throw validationError(`${field}.name: must be ${nameFor(profile)} for an e-invoice of the profile ${profile}`);
  const needed = DATA_ONLY.has(profile) ? 'data' : 'alternative';
  if (relationship !== needed && relationship !== 'source')
    throw validationError(`${field}.relationship: must be ${needed} or source for ${name} of the profile ${profile}`);
  return { fileName: name, profile };
}

/** Returns the bytes of an attachment. */
export function contentOf({ base64, file }: Attachment, { ownSite }: AttachmentOptions): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return ownSite?.files.get(file ?? '')?.body ?? Buffer.alloc(0);
}

/** Objects of the attachments, and what the catalogue says about them. */
interface AttachmentObjects {
  readonly objects: ReadonlyMap<number, string>;
  readonly entries: string;
}

/**
 * Returns the attachments as objects of the document. `next` gives the numbers of new objects. Only archives need a
 * date: encryption does not reach the texts in the dictionary of a stream.
 */
export async function attachmentObjects(
  options: AttachmentOptions,
  next: () => number,
  date: string | undefined,
): Promise<AttachmentObjects> {
  const objects = new Map<number, string>();
  const dated = date === undefined || options.pdf_standard === undefined ? '' : ` /ModDate (${date})`;
  const listed: { readonly name: string; readonly file: number }[] = [];
  for (const attachment of options.pdf_attachments ?? []) {
    const [stream, file] = [next(), next()];
    const content = contentOf(attachment, options);
    const packed = (await pack(content)).toString('latin1');
    const type = attachment.media_type ?? (lookup(extname(attachment.name)) || 'application/octet-stream');
    objects.set(
      stream,
      `<</Type /EmbeddedFile\n/Subtype ${nameOf(type)}\n/Params <</Size ${content.length}${dated}>>\n/Filter /FlateDecode\n/Length ${packed.length}>>\nstream\n${packed}\nendstream`,
    );
    const name = textString(attachment.name);
    const description = attachment.description === undefined ? '' : `\n/Desc ${textString(attachment.description)}`;
    const relationship = `${attachment.relationship[0]?.toUpperCase()}${attachment.relationship.slice(1)}`;
    objects.set(
      file,
      `<</Type /Filespec\n/F ${name}\n/UF ${name}\n/AFRelationship /${relationship}${description}\n/EF <</F ${stream} 0 R /UF ${stream} 0 R>>>>`,
    );
    listed.push({ name, file });
  }
  if (listed.length === 0) return { objects, entries: '' };
  const sorted = listed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = sorted.map(({ name, file }) => `${name} ${file} 0 R`).join(' ');
  const associated = listed.map(({ file }) => `${file} 0 R`).join(' ');
  return { objects, entries: `\n/AF [${associated}]\n/Names <</EmbeddedFiles <</Names [${names}]>>>>` };
}

/** Returns a name object: characters other than letters, digits and a few signs are escaped. */
function nameOf(text: string): string {
  return `/${text.replaceAll(/[^\w.+-]/g, (sign) => `#${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)}`;
}
