import type { DocumentOptions } from './document-fields.ts';
import { readPdfFile } from './pdf-file.ts';

const KEYS = {
  Title: 'pdf_title',
  Author: 'pdf_author',
  Subject: 'pdf_subject',
  Keywords: 'pdf_keywords',
} as const satisfies Record<string, keyof DocumentOptions>;

/** True where the request says something of the document that only we can write: the browser writes the page's title alone. */
export function hasFacts(options: DocumentOptions): boolean {
  return Object.values(KEYS).some((field) => options[field] !== undefined);
}

/**
 * The document with who wrote it, and so on. They are written behind it, as the format provides for changes: not a byte of what the
 * browser has made is touched, tags and outline with it, and no part is taken into memory as a library would, which reads all objects.
 * @throws Error for a document that is not built as Chrome builds them.
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

/** One entry a line: line ends of a text are escaped in it. */
function entriesOf(dictionary: string): string[] {
  return dictionary
    .slice(dictionary.indexOf('<<') + 2, dictionary.lastIndexOf('>>'))
    .split('\n')
    .filter((line) => line !== '');
}

/** In any script: UTF-16, told by its first two bytes, as hex. */
function textString(text: string): string {
  const bytes = Buffer.from(`\uFEFF${text.toWellFormed()}`, 'utf16le').swap16();
  return `<${bytes.toString('hex').toUpperCase()}>`;
}
