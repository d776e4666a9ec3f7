import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { PdfFile } from '../pdf-file.ts';

/** Drawing commands of a page, or of a form that pages draw. */
export interface Drawing {
  readonly number: number;
  /** Entries of the stream's dictionary, without length and compression. */
  readonly dictionary: string;
  readonly commands: string;
  readonly isForm: boolean;
}

const COMPRESSED = '/Filter /FlateDecode\n';
const unpack = promisify(inflate);

/** Yields the drawing commands of all pages and forms. */
export async function* drawingsOf(file: PdfFile): AsyncGenerator<Drawing> {
  const pages = new Set(file.pages().map((page) => file.contentsOf(page)));
  for (let number = 1; number < file.size; number++) {
    const stream = file.streamOf(number);
    const isForm = stream?.dictionary.includes('/Subtype /Form') === true;
    if (stream === undefined || (!isForm && !pages.has(number))) continue;
    const { dictionary, stored } = stream;
    // Chrome leaves small ones as they are.
    const commands = dictionary.includes(COMPRESSED) ? await unpack(stored) : stored;
    yield { number, dictionary: dictionary.replace(COMPRESSED, ''), commands: commands.toString('latin1'), isForm };
  }
}
