import { validationError } from '../../../core/ground/errors.ts';
import { onOneLine } from '../../../core/ground/quoted.ts';
import type { DocumentFacts, NewFacts } from '../../documents/assembly/facts.ts';
import type { Fields } from '../convert-options.ts';
import { readObject } from '../option-values.ts';

/** Names of Gotenberg's tool for metadata, and how documents write them. */
const NAMES = new Map([
  ['CreateDate', 'CreationDate'],
  ['ModifyDate', 'ModDate'],
]);
/** What follows from the document itself. */
const DERIVED = new Set(['PDFVersion', 'PageCount', 'FileName', 'FileSize', 'MIMEType', 'Linearized', 'FileType']);
const FACT_NAME = /^[A-Za-z][\w.-]{0,59}$/;
const MOST_CHARACTERS = 1_000;

/**
 * Returns the entries of the document information in the form field `metadata`.
 * @throws ServiceError ValidationError that names the entry
 */
export function readFactsOption(values: readonly string[], name: string): NewFacts {
  const facts: Record<string, string> = {};
  for (const [key, value] of Object.entries(readObject(values, name))) {
    if (DERIVED.has(key)) continue;
    const shown = onOneLine(key.slice(0, 50));
    if (!FACT_NAME.test(key)) throw validationError(`${name}: ${shown} is no name of an entry`);
    if (value === null) continue; // left unchanged, as there
    const words: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (words.some((word) => typeof word === 'object')) throw validationError(`${name}: ${shown} must be a text`);
    const text = words.join(', ');
    // oxlint-disable-next-line no-control-regex -- what Gotenberg refuses
    if (text.length > MOST_CHARACTERS || /[\u0000-\u001f\u007f]/.test(text))
      throw validationError(
        `${name}: ${shown} must have at most ${MOST_CHARACTERS} characters, and no control characters`,
      );
    facts[NAMES.get(key) ?? key] = text;
  }
  return facts;
}

/** Returns what Gotenberg's tool for metadata says about a document. */
export function describeFacts(
  facts: DocumentFacts,
  file: { readonly name: string; readonly body: Uint8Array },
): Fields {
  const { metadata, pages, version } = facts;
  const { CreationDate: created, ModDate: modified, Keywords: keywords, Marked: marked, ...others } = metadata;
  const head = Buffer.from(file.body.buffer, file.body.byteOffset, Math.min(file.body.byteLength, 1_024));
  return {
    ...others,
    ...(keywords !== undefined && { Keywords: keywords.includes(', ') ? keywords.split(', ') : keywords }),
    ...(marked !== undefined && { Marked: marked === 'true' ? true : marked === 'false' ? false : marked }),
    ...(created !== undefined && { CreateDate: dateOf(created) }),
    ...(modified !== undefined && { ModifyDate: dateOf(modified), ModDate: dateOf(modified) }),
    FileName: file.name,
    FileSize: sizeOf(file.body.length),
    FileType: 'PDF',
    FileTypeExtension: 'pdf',
    MIMEType: 'application/pdf',
    Linearized: head.includes('/Linearized', 0, 'latin1') ? 'Yes' : 'No',
    PDFVersion: Number(version),
    PageCount: pages,
  };
}

/** `2018-12-06T17:50:06+00:00` as `2018:12:06 17:50:06+00:00`. */
function dateOf(text: string): string {
  return text.replace(/^(\d{4})-(\d\d)-(\d\d)T/, '$1:$2:$3 ');
}

function sizeOf(bytes: number): string {
  const units = [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ] as const;
  const [size, unit] = units.find(([least]) => bytes >= 2 * least) ?? [1, 'bytes'];
  const amount = bytes / size;
  return `${unit === 'bytes' || amount >= 10 ? Math.round(amount) : amount.toFixed(1)} ${unit}`;
}
