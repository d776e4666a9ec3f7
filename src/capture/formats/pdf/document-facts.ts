import type { DocumentOptions } from './document-fields.ts';
import { readPdfFile } from './pdf-file.ts';

const KEYS = {
  Title: 'pdf_title',
  Author: 'pdf_author',
  Subject: 'pdf_subject',
  Keywords: 'pdf_keywords',
} as const satisfies Record<string, keyof DocumentOptions>;

/** True if the request sets metadata that Chrome does not write: it writes the title of the page only. */
export function hasFacts(options: DocumentOptions): boolean {
  return Object.values(KEYS).some((field) => options[field] !== undefined);
}

/**
 * Adds the metadata to the document as an incremental update. Bytes written by Chrome stay unchanged, with tags and
 * outline. A library would load all objects into memory.
 * @throws Error if the document is not structured as Chrome writes it
 */
export function withFacts(body: Buffer, options: DocumentOptions): Buffer {
  const { info, objectText, root, size, tableAt } = readPdfFile(body);
  const given = Object.entries(KEYS).flatMap(([key, field]) => {
    const text = options[field];
    return text === undefined ? [] : [[key, textString(text)] as const];
  });
  const kept = (info === undefined ? [] : entriesOf(objectText(info))).filter(
    (line) => !given.some(([key]) => line.startsWith(`/${key} `)),
  );
  const entries = [...given.map(([key, text]) => `/${key} ${text}`), ...kept];
  const number = info ?? size;
  const object = `\n${number} 0 obj\n<<${entries.join('\n')}>>\nendobj\n`;
  const newTableAt = body.length + object.length;
  const table = `xref\n${number} 1\n${`${body.length + 1}`.padStart(10, '0')} 00000 n \n`;
  const trailer = `trailer\n<</Size ${Math.max(size, number + 1)}\n/Root ${root} 0 R\n/Info ${number} 0 R\n/Prev ${tableAt}>>\nstartxref\n${newTableAt}\n%%EOF\n`;
  return Buffer.concat([body, Buffer.from(object + table + trailer, 'latin1')]);
}

/** Returns one entry per line, because line breaks inside texts are escaped. */
function entriesOf(dictionary: string): string[] {
  return dictionary
    .slice(dictionary.indexOf('<<') + 2, dictionary.lastIndexOf('>>'))
    .split('\n')
    .filter((line) => line !== '');
}

/** Encodes text of any script as UTF-16 with a byte order mark, in hex. */
function textString(text: string): string {
  const bytes = Buffer.from(`\uFEFF${text.toWellFormed()}`, 'utf16le').swap16();
  return `<${bytes.toString('hex').toUpperCase()}>`;
}
