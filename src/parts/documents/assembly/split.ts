import type { Pieces, SplitDocument } from '../documents-work.ts';
import { assemble, type AssemblyWarning } from './assemble.ts';
import { pagesIn } from './choose-pages.ts';
import { save } from './finish.ts';
import { PartError } from './part-error.ts';
import type { SourceDocument } from './source-document.ts';

const MOST_PIECES = 1_000;

/**
 * Returns the pieces of a document. Each has the bookmarks, links, fields and tags of its own pages.
 * @throws PartError for pages that the document does not have, or too many pieces
 */
export async function split(source: SourceDocument, pieces: Pieces): Promise<SplitDocument> {
  const ranges = rangesOf(source.pages.length, pieces);
  if (ranges.length > MOST_PIECES) throw new PartError(0, `would be split into more than ${MOST_PIECES} documents`);
  const documents: Uint8Array[] = [];
  const warnings = new Set<AssemblyWarning>();
  for (const pages of ranges) {
    const piece = await assemble([{ source, pages }], 'keep');
    for (const warning of piece.warnings) warnings.add(warning);
    documents.push(await save(piece.document));
  }
  // Links between the pieces are lost by what splitting means.
  warnings.delete('pdf_links_removed');
  return { documents, warnings: [...warnings] };
}

function rangesOf(count: number, pieces: Pieces): readonly string[] {
  if (pieces.mode === 'intervals') {
    const { span } = pieces;
    return Array.from({ length: Math.ceil(count / span) }, (_, index) => {
      return `${index * span + 1}-${Math.min((index + 1) * span, count)}`;
    });
  }
  if (pieces.unify) return [pieces.span];
  return [...pagesIn(pieces.span, count, 0)].toSorted((a, b) => a - b).map((index) => `${index + 1}`);
}
