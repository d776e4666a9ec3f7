import {
  decodePDFRawStream,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { arrayOf, dictOf, freeName, name, resolved } from './objects.ts';

/** A drawing that is added to a page. */
export interface PageDrawing {
  readonly form: PDFRef;
  /** Brings it to its place. */
  readonly matrix: readonly number[];
}

/**
 * Adds drawings on top of a page.
 * @param mark how programs that read the page know them, such as `/Artifact`
 */
export function addDrawings(
  document: PDFDocument,
  page: PDFDict,
  drawings: readonly PageDrawing[],
  mark?: string,
): void {
  const { context } = document;
  const contents = contentsOf(context, page);
  const { resources, names } = withDrawings(document, page, drawings);
  const commands = drawings.map(({ matrix }, index) => {
    const rounded = matrix.map((number) => Math.round(number * 100_000) / 100_000);
    return `q ${rounded.join(' ')} cm /${names[index]} Do Q`;
  });
  const { before, after } = balanceOf(context, contents);
  const open = context.register(context.stream('q '.repeat(before)));
  const drawn = mark === undefined ? commands.join('\n') : `${mark} BMC\n${commands.join('\n')}\nEMC`;
  const close = context.register(context.stream(`\n${'Q '.repeat(after)}\n${drawn}\n`));
  page.set(name('Contents'), context.obj([open, ...contents, close]));
  page.set(name('Resources'), resources);
}

/** Returns the streams of a page. */
export function contentsOf(context: PDFContext, page: PDFDict): readonly PDFObject[] {
  const written = page.get(name('Contents'));
  const all = arrayOf(context, written)?.asArray() ?? (written === undefined ? [] : [written]);
  return all.filter((each) => each instanceof PDFRef && resolved(context, each) instanceof PDFStream);
}

/** Returns a copy of the resources of a page with more drawings. They may belong to other pages as well. */
function withDrawings(
  { context }: PDFDocument,
  page: PDFDict,
  more: readonly PageDrawing[],
): { readonly resources: PDFDict; readonly names: readonly string[] } {
  const copyOf = (dict: PDFDict | undefined): PDFDict => PDFDict.fromMapWithContext(new Map(dict?.entries()), context);
  const resources = copyOf(dictOf(context, page.get(name('Resources'))));
  const drawings = copyOf(dictOf(context, resources.get(name('XObject'))));
  const taken = new Set(drawings.keys().map((key) => key.decodeText()));
  const names = more.map(({ form }, index) => {
    const free = freeName(`Added${taken.size + index}`, taken, (number) => `Added${taken.size + index}x${number}`);
    drawings.set(name(free), form);
    return free;
  });
  resources.set(name('XObject'), drawings);
  return { resources, names };
}

/** Bytes of commands of a page that are read. */
const MOST_COMMAND_BYTES = 50_000_000;
/** Saved states that are made good. */
const MOST_STATES = 1_000;

/**
 * Returns how many states must be saved before the commands of a page, and restored after them, so that drawings behind
 * them are at their places: many programs forget to restore what they save, or restore too much.
 */
function balanceOf(
  context: PDFContext,
  contents: readonly PDFObject[],
): { readonly before: number; readonly after: number } {
  let [depth, least] = [0, 0];
  for (const commands of commandsOf(context, contents))
    for (const command of statesIn(commands ?? Buffer.alloc(0))) {
      depth += command;
      least = Math.min(least, depth);
    }
  const before = Math.min(1 - least, MOST_STATES);
  return { before, after: Math.min(before + depth, MOST_STATES) };
}

/** Yields the commands in each stream. Undefined when there are more than are read. The streams may grow meanwhile. */
export function* commandsOf(
  context: PDFContext,
  contents: readonly PDFObject[],
): Generator<Uint8Array | undefined, void, undefined> {
  let left = MOST_COMMAND_BYTES;
  for (const each of contents) {
    const stream = resolved(context, each);
    if (!(stream instanceof PDFRawStream)) continue;
    let bytes: Uint8Array | undefined;
    if (left > 0)
      try {
        bytes = decodePDFRawStream(stream).decode();
      } catch {
        continue; // readers can't unpack it either
      }
    left -= bytes?.length ?? 0;
    yield bytes;
  }
}

const SPACE = new Set([0, 9, 10, 12, 13, 32]);
const [OPEN, CLOSE, BACKSLASH, PERCENT, SAVE, RESTORE, D, E, I] = Buffer.from('()\\%qQDEI');

/** Yields 1 for each command that saves the state, and -1 for each that restores it. One pass over the bytes. */
function* statesIn(bytes: Uint8Array): Generator<1 | -1> {
  const isApart = (at: number): boolean => at < 0 || at >= bytes.length || SPACE.has(bytes[at] ?? 0);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === OPEN) at = endOfText(bytes, at);
    else if (byte === PERCENT) while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++;
    else if (byte === I && bytes[at + 1] === D && isApart(at - 1) && isApart(at + 2)) {
      // The bytes of a picture, until `EI` between spaces.
      for (at += 3; at < bytes.length; at++)
        if (bytes[at] === E && bytes[at + 1] === I && isApart(at - 1) && isApart(at + 2)) break;
    } else if ((byte === SAVE || byte === RESTORE) && isEnd(bytes[at - 1]) && isEnd(bytes[at + 1]))
      yield byte === SAVE ? 1 : -1;
  }
}

/** True for what may stand beside a command. */
function isEnd(byte: number | undefined): boolean {
  return byte === undefined || SPACE.has(byte) || byte === CLOSE || byte === PERCENT || BRACKETS.has(byte);
}

const BRACKETS = new Set(Buffer.from('[]<>()/'));

function endOfText(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at;
  }
  return bytes.length;
}
