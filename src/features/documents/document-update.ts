import type { PdfFile } from './pdf-file.ts';

/** What the end of the document says. */
interface Trailer {
  /** Number of the object with the metadata, if it is new. */
  readonly info?: number | undefined;
  /** Identifier of the file, in hex. */
  readonly id?: string | undefined;
}

/**
 * Appends objects to the document as an incremental update, in place of those with the same number. Bytes written by
 * Chrome stay unchanged, with tags and outline. A library would load all objects into memory.
 */
export function withObjects(
  body: Buffer,
  file: PdfFile,
  objects: ReadonlyMap<number, string>,
  { info = file.info, id }: Trailer = {},
): Buffer {
  if (objects.size === 0) return body;
  let at = body.length;
  const added: string[] = [];
  const entries: string[] = [];
  for (const [number, text] of [...objects].toSorted(([a], [b]) => a - b)) {
    const object = `\n${number} 0 obj\n${text}\nendobj\n`;
    entries.push(`${number} 1\n${`${at + 1}`.padStart(10, '0')} 00000 n \n`);
    added.push(object);
    at += object.length;
  }
  const size = objects.keys().reduce((most, number) => Math.max(most, number + 1), file.size);
  const infoEntry = info === undefined ? '' : `/Info ${info} 0 R\n`;
  const idEntry = id === undefined ? '' : `/ID [<${id}><${id}>]\n`;
  const trailer = `trailer\n<</Size ${size}\n/Root ${file.root} 0 R\n${infoEntry}${idEntry}/Prev ${file.tableAt}>>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([body, Buffer.from(`${added.join('')}xref\n${entries.join('')}${trailer}`, 'latin1')]);
}
