import type { DocumentOptions } from './document-fields.ts';
import type { PdfFile } from './pdf-file.ts';
import { textString } from './pdf-text.ts';

const KEYS = {
  Title: 'pdf_title',
  Author: 'pdf_author',
  Subject: 'pdf_subject',
  Keywords: 'pdf_keywords',
} as const satisfies Record<string, keyof DocumentOptions>;

/**
 * Returns the object with the metadata of the request: Chrome writes the title of the page only. Undefined if the
 * request sets none.
 */
export function factsObject({ info, objectText }: PdfFile, options: DocumentOptions): string | undefined {
  const given = Object.entries(KEYS).flatMap(([key, field]) => {
    const text = options[field];
    return text === undefined ? [] : [[key, textString(text)] as const];
  });
  if (given.length === 0) return undefined;
  const kept = (info === undefined ? [] : entriesOf(objectText(info))).filter(
    (line) => !given.some(([key]) => line.startsWith(`/${key} `)),
  );
  return `<<${[...given.map(([key, text]) => `/${key} ${text}`), ...kept].join('\n')}>>`;
}

/** Returns one entry per line, because line breaks inside texts are escaped. */
function entriesOf(dictionary: string): string[] {
  return dictionary
    .slice(dictionary.indexOf('<<') + 2, dictionary.lastIndexOf('>>'))
    .split('\n')
    .filter((line) => line !== '');
}
