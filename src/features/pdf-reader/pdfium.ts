import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';

/** PDFium in WebAssembly, with the memory that its calls read and write. */
export interface Pdfium extends WrappedPdfiumModule {
  /** Calls `use` with the address of so many bytes, which are free again afterwards. */
  readonly withBytes: <T>(length: number, use: (address: number) => T) => T;
  readonly write: (address: number, bytes: Uint8Array) => void;
  /** Returns a copy of bytes in its memory. */
  readonly bytesAt: (address: number, length: number) => Buffer;
  /** Returns the numbers in double precision at an address. */
  readonly doublesAt: (address: number, count: number) => readonly number[];
  /** Returns the text that a call writes into a buffer, as UTF-16. The call returns the length that it needs. */
  readonly wideText: (write: (address: number, length: number) => number) => string;
  /**
   * Returns an open document as it is now, without encryption.
   * @throws Error if it can't be written
   */
  readonly save: (document: number) => Buffer;
}

/** Longest text that is read of a document, such as its title, in bytes. */
const MOST_TEXT_BYTES = 65_536;

/** Loads the library. It takes 20 ms, and 20 MB before the first document. */
export async function loadPdfium(): Promise<Pdfium> {
  const wasmBinary = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const library = await init({ wasmBinary: new Uint8Array(wasmBinary).buffer });
  library.PDFiumExt_Init();
  const { pdfium } = library;
  /** All of its memory. It is another array when the memory has grown. */
  const memory = (): Uint8Array<ArrayBuffer> => {
    const bytes: unknown = Reflect.get(pdfium, 'HEAPU8'); // the types of the package lack it
    if (bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer) return new Uint8Array(bytes.buffer);
    throw new Error('PDFium has no memory');
  };
  const withBytes: Pdfium['withBytes'] = (length, use) => {
    const address = pdfium.wasmExports.malloc(Math.max(length, 1));
    if (address === 0) throw new Error('out of memory');
    try {
      return use(address);
    } finally {
      pdfium.wasmExports.free(address);
    }
  };
  const bytesAt: Pdfium['bytesAt'] = (address, length) => Buffer.from(memory().subarray(address, address + length));
  return Object.assign(library, {
    withBytes,
    bytesAt,
    doublesAt: (address: number, count: number) => [...new Float64Array(memory().buffer, address, count)],
    write: (address: number, bytes: Uint8Array) => memory().set(bytes, address),
    save: (document: number) => {
      library.EPDF_RemoveEncryption(document);
      const writer = library.PDFiumExt_OpenFileWriter();
      try {
        if (library.PDFiumExt_SaveAsCopy(document, writer) === 0) throw new Error('the document could not be written');
        const size = library.PDFiumExt_GetFileWriterSize(writer);
        return withBytes(size, (address) => {
          library.PDFiumExt_GetFileWriterData(writer, address, size);
          return bytesAt(address, size);
        });
      } finally {
        library.PDFiumExt_CloseFileWriter(writer);
      }
    },
    wideText: (write: (address: number, length: number) => number) => {
      const length = Math.min(write(0, 0), MOST_TEXT_BYTES);
      if (length <= 2) return '';
      return withBytes(length, (address) => {
        write(address, length);
        return bytesAt(address, length - 2).toString('utf16le');
      });
    },
  });
}
