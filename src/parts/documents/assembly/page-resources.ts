import { type PDFContext, PDFDict, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib';
import { editable, type Edits } from './adoption.ts';
import { dictOf, name, nameOf, resolved } from './objects.ts';
import { commandsOf, contentsOf } from './page-drawings.ts';
import type { SourceDocument, SourcePage } from './source-document.ts';

/** Resources that have content, or names of their own. */
const KINDS = ['XObject', 'Pattern', 'Shading', 'Font', 'Properties'];

const owners = new WeakMap<SourceDocument, ReadonlyMap<PDFDict, readonly PDFRef[]>>();

/**
 * Removes resources that a page does not use, if other pages share them that are not kept: pictures of those pages
 * would come with them. Removes none if the commands are too long, or name resources in an unusual way.
 */
export function keepOwnResources(
  source: SourceDocument,
  { dict: page }: SourcePage,
  { kept, edits }: { readonly kept: ReadonlySet<PDFRef>; readonly edits: Edits },
): void {
  const { context } = source;
  const shared = dictOf(context, page.get(name('Resources')));
  if (
    shared === undefined ||
    ownersOf(source)
      .get(shared)
      ?.every((ref) => kept.has(ref)) !== false
  )
    return;
  const used = namesUsed(context, page, shared);
  if (used === undefined) return;
  const own = PDFDict.fromMapWithContext(new Map(shared.entries()), context);
  for (const kind of KINDS) {
    const all = dictOf(context, shared.get(name(kind)));
    if (all === undefined) continue;
    const left = all.entries().filter(([key]) => used.has(key.asString()) || key.asString().includes('#'));
    own.set(name(kind), PDFDict.fromMapWithContext(new Map(left), context));
  }
  editable(edits, page).set(name('Resources'), own);
}

function ownersOf(source: SourceDocument): ReadonlyMap<PDFDict, readonly PDFRef[]> {
  const before = owners.get(source);
  if (before !== undefined) return before;
  const found = new Map<PDFDict, PDFRef[]>();
  for (const { ref, dict } of source.pages) {
    const resources = dictOf(source.context, dict.get(name('Resources')));
    if (resources === undefined) continue;
    const pages = found.get(resources) ?? [];
    pages.push(ref);
    found.set(resources, pages);
  }
  owners.set(source, found);
  return found;
}

/** Returns the names in the commands of a page, and of drawings that have no resources of their own. */
function namesUsed(context: PDFContext, page: PDFDict, resources: PDFDict): ReadonlySet<string> | undefined {
  const fonts = dictOf(context, resources.get(name('Font')))?.values() ?? [];
  const drawings = dictOf(context, resources.get(name('XObject')));
  const hasDrawnLetters = fonts.some((font) => {
    const dict = dictOf(context, font);
    return nameOf(context, dict?.get(name('Subtype'))) === 'Type3' && dict?.has(name('Resources')) !== true;
  });
  if (hasDrawnLetters) return undefined;
  const used = new Set<string>();
  const streams = [...contentsOf(context, page)];
  for (const commands of commandsOf(context, streams)) {
    if (commands === undefined) return undefined;
    for (const [written] of Buffer.from(commands).toString('latin1').matchAll(NAMES)) {
      if (used.has(written)) continue;
      if (UNUSUAL.test(written)) return undefined;
      used.add(written);
      const drawing = drawings?.get(name(written.slice(1)));
      const stream = resolved(context, drawing);
      const usesThese = stream instanceof PDFRawStream && !stream.dict.has(name('Resources'));
      if (drawing !== undefined && usesThese && isForm(context, stream.dict)) streams.push(drawing);
    }
  }
  return used;
}

function isForm(context: PDFContext, dict: PDFDict): boolean {
  return nameOf(context, dict.get(name('Subtype'))) === 'Form';
}

const NAMES = /\/[^\s\0()<>[\]{}/%]+/g;
const UNUSUAL = /[^!-~]|#/;
