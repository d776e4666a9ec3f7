import { setImmediate } from 'node:timers/promises';
import type { PdfFile } from '../../pdf-file.ts';
import { rejection } from '../rejection.ts';
import {
  AT_ONCE,
  hasAnnotation,
  readStructure,
  referencesIn,
  type StructureElement,
  structureRootOf,
  withKids,
} from './structure.ts';
import { missingCells } from './table-rows.ts';

/** Types of PDF 2.0 that Chrome writes, and the types of PDF 1.7 that readers take for them. */
const ROLES = { Em: 'Span', Strong: 'Span', Aside: 'Div', FENote: 'Note', Title: 'P', Sub: 'Span' };
const ITEM_PARTS: ReadonlySet<string> = new Set(['Lbl', 'LBody']);
const LIST_PARTS: ReadonlySet<string> = new Set(['L', 'LI', 'Caption']);
const LOWEST_LEVEL = 6;
/** Cells that are added to rows. A row of 3,600 cells above 3,600 rows of one cell lacks 13 million. */
const MOST_ADDED_CELLS = 50_000;
const NEEDS_TEXT: ReadonlySet<string> = new Set(['Figure', 'Formula']);

/**
 * Returns the changed elements of the structure, by number: levels of headings without gaps, items of lists and cells
 * of rows where the standard wants them, and figures with captions as groups.
 * @throws ServiceError PageRejectedError for pictures without an alternative text, and pages without content
 */
export async function mendStructure(file: PdfFile, next: () => number): Promise<ReadonlyMap<number, string>> {
  const elements = await readStructure(file);
  const root = structureRootOf(file);
  if (root === undefined || elements.length < 2) throw rejection('PDF/UA-1 needs a page with content');
  const mender = new StructureMender(file, elements, next);
  for (const [index, element] of elements.entries()) {
    mender.mend(element);
    if (index % AT_ONCE === 0) await setImmediate();
  }
  if (mender.unnamed.length > 0) throw rejection(withoutText(file, mender.unnamed));
  const used = Object.entries(ROLES).filter(([type]) => elements.some((element) => element.type === type));
  const roles = used.map(([type, role]) => `/${type} /${role}`).join(' ');
  if (roles !== '') mender.set(root, (text) => text.replace(/>>\s*$/, `\n/RoleMap <<${roles}>>>>`));
  return mender.texts;
}

function withoutText(file: PdfFile, elements: readonly StructureElement[]): string {
  const sheets = elements.map(({ text }) => {
    const [, page] = /\/Pg (\d+) 0 R/.exec(text) ?? [];
    return file.pages().indexOf(Number(page)) + 1;
  });
  const places = [...new Set(sheets)].filter((sheet) => sheet > 0).slice(0, 5);
  return `PDF/UA-1 needs an alternative text for each picture: alt for img, aria-label for others, alt="" for decoration. ${elements.length} without, on ${places.length === 1 ? 'sheet' : 'sheets'} ${places.join(', ')}`;
}

/** Changes elements one by one, in reading order. */
class StructureMender {
  /** Changed and new elements by number. */
  readonly texts = new Map<number, string>();
  /** Pictures without an alternative text. */
  readonly unnamed: StructureElement[] = [];
  readonly #file: PdfFile;
  readonly #next: () => number;
  readonly #byNumber: ReadonlyMap<number, StructureElement>;
  /** Types as changed, of elements whose type decides on others. */
  readonly #types: Map<number, string>;
  readonly #listItems = new Set<number>();
  #addedCells = 0;
  /** Levels of the headings around the next one. */
  readonly #levels: number[] = [];

  constructor(file: PdfFile, elements: readonly StructureElement[], next: () => number) {
    this.#file = file;
    this.#next = next;
    this.#byNumber = new Map(elements.map((element) => [element.number, element]));
    this.#types = new Map(elements.map(({ number, type }) => [number, type]));
  }

  set(number: number, change: (text: string) => string): void {
    this.texts.set(number, change(this.texts.get(number) ?? this.#file.objectText(number)));
  }

  mend(element: StructureElement): void {
    const { number, kids, text } = element;
    const type = this.#types.get(number) ?? '';
    if (/^H[1-6]?$/.test(type)) this.#retype(number, `H${this.#levelOf(Number(type[1] ?? LOWEST_LEVEL))}`);
    else if (type === 'Note') this.set(number, (before) => before.replace('\n/S ', `\n/ID (note-${number})\n/S `));
    else if (type === 'L') this.#mendList(element);
    else if (type === 'LI') this.#mendItem(element);
    else if (type === 'Table') this.#mendTable(element);
    else if (NEEDS_TEXT.has(type) && !/\n\/(?:Alt|ActualText) /.test(text)) {
      if (referencesIn(kids).length > 0) this.#retype(number, 'Div');
      else this.unnamed.push(element);
    } else if (type !== 'Link' && hasAnnotation(kids)) this.#retype(number, 'Link');
  }

  /** Headings begin with level 1 and leave none out. Chrome writes levels below the lowest as `H`. */
  #levelOf(level: number): number {
    while ((this.#levels.at(-1) ?? 0) >= level) this.#levels.pop();
    return Math.min(this.#levels.push(level), LOWEST_LEVEL);
  }

  /** A list has items only. Chrome writes other content of lists as it is, and items with a role of their own. */
  #mendList({ number, kids }: StructureElement): void {
    const whole = kids.map((kid) => {
      const kidNumber = Number.parseInt(kid, 10);
      if (LIST_PARTS.has(this.#typeOf(kid)) || !kid.endsWith(' R')) {
        this.#listItems.add(kidNumber);
        return kid;
      }
      const inside = this.#byNumber.get(kidNumber)?.kids ?? [];
      const hasItems = inside.some((one) => this.#typeOf(one) === 'LI');
      if (this.#typeOf(kid) === 'NonStruct' && hasItems) {
        for (const item of referencesIn(inside)) this.#listItems.add(item);
        return kid;
      }
      if (inside.some((one) => this.#typeOf(one) === 'Lbl')) {
        this.#listItems.add(kidNumber);
        this.#retype(kidNumber, 'LI');
        return kid;
      }
      const item = this.#next();
      const body = this.#wrap('LBody', item, [kid]);
      this.texts.set(item, elementText('LI', number, [`${body} 0 R`]));
      return `${item} 0 R`;
    });
    if (whole.some((kid, index) => kid !== kids[index])) this.set(number, (before) => withKids(before, whole));
  }

  /** Gives a list item its label and body. An item that is in no list becomes a group (Div). */
  #mendItem({ number, kids }: StructureElement): void {
    if (!this.#listItems.has(number)) {
      this.#retype(number, 'Div');
      return;
    }
    const rest = kids.filter((kid) => !ITEM_PARTS.has(this.#typeOf(kid)));
    if (rest.length === 0 || rest.some((kid) => !kid.endsWith(' R'))) return;
    const parts = kids.filter((kid) => ITEM_PARTS.has(this.#typeOf(kid)));
    this.set(number, (before) => withKids(before, [...parts, `${this.#wrap('LBody', number, rest)} 0 R`]));
  }

  #mendTable(table: StructureElement): void {
    const kidsOf = ({ kids }: StructureElement): StructureElement[] =>
      referencesIn(kids).flatMap((kid) => this.#byNumber.get(kid) ?? []);
    const lacking = missingCells(table, kidsOf);
    this.#addedCells += lacking.values().reduce((sum, missing) => sum + missing, 0);
    if (this.#addedCells > MOST_ADDED_CELLS)
      throw rejection('PDF/UA-1 needs tables whose rows are equally long: a table lacks too many cells');
    for (const [row, missing] of lacking) {
      const cells = Array.from({ length: missing }, () => this.#wrap('TD', row, []));
      const { kids = [] } = this.#byNumber.get(row) ?? {};
      if (missing > 0) this.set(row, (text) => withKids(text, [...kids, ...cells.map((cell) => `${cell} 0 R`)]));
    }
  }

  #typeOf(kid: string): string {
    return kid.endsWith(' R') ? (this.#types.get(Number.parseInt(kid, 10)) ?? '') : '';
  }

  #retype(number: number, type: string): void {
    this.#types.set(number, type);
    this.set(number, (text) => text.replace(/\n\/S \/\w+/, `\n/S /${type}`));
  }

  /** Puts kids of an element into a new one of this type. Returns its number. */
  #wrap(type: string, parent: number, kids: readonly string[]): number {
    const number = this.#next();
    this.texts.set(number, elementText(type, parent, kids));
    for (const kid of referencesIn(kids)) this.set(kid, (text) => text.replace(/\n\/P \d+ 0 R/, `\n/P ${number} 0 R`));
    return number;
  }
}

function elementText(type: string, parent: number, kids: readonly string[]): string {
  return `<</Type /StructElem\n/S /${type}\n/P ${parent} 0 R\n/K [${kids.join(' ')}]>>`;
}
