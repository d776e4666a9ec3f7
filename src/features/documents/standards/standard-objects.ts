import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { type AttachmentOptions, attachmentObjects, facturXOf } from './attachments.ts';
import { screenProfile } from './colour-profile.ts';
import { textsOf } from '../pdf-text.ts';
import { xmpPacket } from './xmp.ts';

/** Parts of a document that standards and attachments change. */
interface Changed {
  /** New objects by number. */
  readonly objects: ReadonlyMap<number, string>;
  /** Entries of the catalogue. */
  readonly entries: string;
  /** Identifier of the file, in hex. Undefined: it needs none. */
  readonly id: string | undefined;
}

/** Returns what the standards of the request add to a document, and its attachments. */
export async function standardObjects(
  body: Buffer,
  options: AttachmentOptions,
  {
    info,
    language,
    next,
  }: { readonly info: string; readonly language: string | undefined; readonly next: () => number },
): Promise<Changed> {
  const { pdf_standard: standards = [] } = options;
  const facts = textsOf(info);
  const attached = await attachmentObjects(options, next, facts.get('ModDate'));
  if (standards.length === 0) return { ...attached, id: undefined };
  const archivePart = standards.includes('PDF/A-3b') ? 3 : standards.includes('PDF/A-2b') ? 2 : undefined;
  const packet = xmpPacket({
    info: facts,
    language,
    archivePart,
    isAccessible: standards.includes('PDF/UA-1'),
    facturX: facturXOf(options),
  });
  const text = Buffer.from(packet, 'utf8').toString('latin1');
  const metadata = next();
  const objects = new Map([
    ...attached.objects,
    [metadata, `<</Type /Metadata\n/Subtype /XML\n/Length ${text.length}>>\nstream\n${text}\nendstream`],
  ]);
  let entries = `${attached.entries}\n/Metadata ${metadata} 0 R`;
  if (archivePart !== undefined) {
    const profile = next();
    objects.set(profile, await profileObject());
    entries += `\n/OutputIntents [<</Type /OutputIntent\n/S /GTS_PDFA1\n/OutputConditionIdentifier (sRGB)\n/Info (sRGB)\n/DestOutputProfile ${profile} 0 R>>]`;
  }
  return { objects, entries, id: createHash('sha256').update(body).digest('hex').slice(0, 32) };
}

/** Returns the colours of screens, as the output intent of archives names them. */
async function profileObject(): Promise<string> {
  const icc = deflateSync(await screenProfile()).toString('latin1');
  return `<</N 3\n/Alternate /DeviceRGB\n/Filter /FlateDecode\n/Length ${icc.length}>>\nstream\n${icc}\nendstream`;
}
