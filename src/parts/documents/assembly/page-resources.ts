import { type PDFContext, PDFDict, PDFRawStream } from '@cantoo/pdf-lib';
import { editable, type Edits } from './adoption.ts';
import { dictOf, name, nameOf, resolved } from './objects.ts';
import { commandsOf, contentsOf } from './page-drawings.ts';
import type { SourceDocument, SourcePage } from './source-document.ts';

/** Resources that have content, or names of their own. */
const KINDS = ['XObject', 'Pattern', 'Shading', 'Font', 'Properties'];

/**
 * Removes resources that a page does not use: pages often share them, and pictures of pages that are not kept would
 * come with them. Removes none if the commands are too long, or name resources in an unusual way.
 */
export function keepOwnResources({ context }: SourceDocument, { dict: page }: SourcePage, edits: Edits): void {
  const shared = dictOf(context, page.get(name('Resources')));
  if (shared === undefined) return;
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
