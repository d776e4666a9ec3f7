import { PDFArray, type PDFContext, PDFDict, PDFHexString, PDFNumber, type PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { removeUnasked } from './annotations.ts';
import { type Adoption, applyEdits, editable, type Edits } from './adoption.ts';
import { arrayOf, dictOf, entriesOfTree, freeName, keyOf, listOf, name, nameOf, numberOf, textOf } from './objects.ts';
import type { SourceDocument } from './source-document.ts';

/** Files inside of a document, by their keys. */
export type Files = Map<string, PDFObject>;

/** Moves the files of a part. Files whose name is taken get a number before their ending. */
export function adoptFiles(
  { context, catalog }: SourceDocument,
  adoption: Adoption,
  { files, edits }: { readonly files: Files; readonly edits: Edits },
): void {
  const names = dictOf(context, catalog.get(name('Names')));
  const taken = new Set(files.keys());
  for (const [key, value] of entriesOfTree(context, names?.get(name('EmbeddedFiles')), 'Names')) {
    const text = keyOf(context, key) ?? '';
    let number = 1;
    const free = freeName(text, taken, (next) => numbered(text, (number = next)));
    const file = dictOf(context, value);
    for (const entry of number === 1 ? [] : ['F', 'UF']) {
      const shown = textOf(context, file?.get(name(entry)));
      if (file === undefined || shown === undefined) continue;
      editable(edits, file).set(name(entry), PDFHexString.fromText(numbered(shown, number)));
    }
    files.set(free, adoption.adopt(value));
  }
}

/** Returns the name of a file with a number before its ending. */
export function numbered(text: string, number: number): string {
  const [, stem = text, ending = ''] = /^(.+?)(\.[^.]{1,20})?$/s.exec(text) ?? [];
  return `${stem}-${number}${ending}`;
}

/** Files that belong to the whole document, such as the data of an invoice. */
export function associatedFiles({ context, catalog }: SourceDocument, adoption: Adoption): readonly PDFObject[] {
  return listOf(context, catalog.get(name('AF'))).map((file) => adoption.adopt(file));
}

/** Layers of the new document, as they grow. */
export type Layers = Map<'OCGs' | 'Order' | 'OFF' | 'AS' | 'RBGroups' | 'Locked', PDFArray>;

/** Moves the layers that the pages of a part use, so that what is hidden stays hidden. */
export function adoptLayers(
  { context, catalog }: SourceDocument,
  adoption: Adoption,
  { layers, to }: { readonly layers: Layers; readonly to: PDFContext },
): void {
  const own = dictOf(context, catalog.get(name('OCProperties')));
  if (own === undefined) return;
  const state = dictOf(context, own.get(name('D')));
  const all = listOf(context, own.get(name('OCGs')));
  const others = new Set(all.filter((group) => group instanceof PDFRef && !adoption.has(group)));
  const groups = all.filter((group) => !others.has(group));
  const on = new Set(listOf(context, state?.get(name('ON'))));
  const isOff = nameOf(context, state?.get(name('BaseState'))) === 'OFF';
  const hidden = isOff ? groups.filter((group) => !on.has(group)) : listOf(context, state?.get(name('OFF')));
  const add = (kind: Parameters<Layers['get']>[0], values: readonly PDFObject[]): void => {
    const found = layers.get(kind) ?? PDFArray.withContext(to);
    layers.set(kind, found);
    for (const value of values) found.push(adoption.adopt(value));
  };
  const lists = (['Order', 'AS', 'RBGroups', 'Locked'] as const).map(
    (kind) => [kind, without(context, listOf(context, state?.get(name(kind))), others)] as const,
  );
  add('OCGs', groups);
  add('OFF', hidden);
  for (const [kind, values] of lists) add(kind, values);
}

/** Returns lists of layers, which are nested, without some. */
function without(
  context: PDFContext,
  values: readonly PDFObject[],
  others: ReadonlySet<PDFObject>,
  depth = 0,
): readonly PDFObject[] {
  return values.flatMap((value) => {
    if (others.has(value)) return [];
    const inside = arrayOf(context, value);
    if (inside === undefined) return value;
    return depth === MOST_LEVELS ? [] : context.obj([...without(context, inside.asArray(), others, depth + 1)]);
  });
}

const MOST_LEVELS = 50;

/** Returns the layers as an entry of the catalogue. Undefined without one. */
export function writeLayers(context: PDFContext, layers: Layers): PDFDict | undefined {
  const groups = layers.get('OCGs');
  if (groups === undefined || groups.size() === 0) return undefined;
  const state = PDFDict.withContext(context);
  for (const [kind, values] of layers) if (kind !== 'OCGs' && values.size() > 0) state.set(name(kind), values);
  const all = PDFDict.withContext(context);
  all.set(name('OCGs'), groups);
  all.set(name('D'), state);
  return all;
}

/** How a reader names pages from one on. */
export interface Label {
  readonly style: string | undefined;
  readonly prefix: string | undefined;
  readonly number: number;
}

/** Returns the label of each page. Undefined if the document has none. */
export function readLabels({ context, catalog, pages }: SourceDocument): readonly Label[] | undefined {
  const entries = entriesOfTree(context, catalog.get(name('PageLabels')), 'Nums')
    .flatMap(([key, value]) => {
      const [at, dict] = [numberOf(context, key), dictOf(context, value)];
      return at === undefined || dict === undefined ? [] : [{ at, dict }];
    })
    .toSorted((a, b) => a.at - b.at);
  if (entries.length === 0) return undefined;
  let next = 0;
  let current: { at: number; dict: PDFDict } | undefined;
  return pages.map((_, index) => {
    for (let entry = entries[next]; entry !== undefined && entry.at <= index; entry = entries[++next]) current = entry;
    const { at = 0, dict } = current ?? {};
    return {
      style: nameOf(context, dict?.get(name('S'))) ?? (dict === undefined ? 'D' : undefined),
      prefix: textOf(context, dict?.get(name('P'))),
      number: (numberOf(context, dict?.get(name('St'))) ?? 1) + index - at,
    };
  });
}

/** Returns labels as an entry of the catalogue. Undefined if no part has any. */
export function writeLabels(
  context: PDFContext,
  parts: readonly (readonly (Label | undefined)[])[],
): PDFDict | undefined {
  const labels = parts.flat();
  if (labels.every((label) => label === undefined)) return undefined;
  const numbers = PDFArray.withContext(context);
  let before: Label | undefined;
  for (const [index, known] of labels.entries()) {
    const label = known ?? { style: 'D', prefix: undefined, number: index + 1 };
    const goesOn =
      before !== undefined &&
      label.style === before.style &&
      label.prefix === before.prefix &&
      label.number === before.number + 1;
    before = label;
    if (goesOn) continue;
    numbers.push(PDFNumber.of(index));
    const { style, prefix, number } = label;
    numbers.push(
      context.obj({
        ...(style !== undefined && { S: name(style) }),
        ...(prefix !== undefined && { P: PDFHexString.fromText(prefix) }),
        St: number,
      }),
    );
  }
  return context.obj({ Nums: numbers });
}

/** True if the document runs scripts or starts programs when it is opened. They are not moved. */
export function runsScripts({ context, catalog }: SourceDocument): boolean {
  const names = dictOf(context, catalog.get(name('Names')));
  if (names?.has(name('JavaScript')) === true || catalog.has(name('AA'))) return true;
  const opening = dictOf(context, catalog.get(name('OpenAction')));
  const kind = nameOf(context, opening?.get(name('S')));
  return opening !== undefined && kind !== undefined && kind !== 'GoTo';
}

/** Removes the scripts and programs that run when a document is opened. Returns true if there were any. */
export function removeScripts(source: SourceDocument): boolean {
  const { context, catalog, pages } = source;
  const edits: Edits = new Map();
  const hadOfPages = pages.map(({ dict }) => removeUnasked(context, dict, edits) || dict.has(name('AA')));
  applyEdits(edits);
  const had = runsScripts(source) || hadOfPages.includes(true);
  if (!had) return false;
  for (const key of ['OpenAction', 'AA']) catalog.delete(name(key));
  dictOf(context, catalog.get(name('Names')))?.delete(name('JavaScript'));
  for (const { dict } of pages) dict.delete(name('AA'));
  return true;
}
