import type { DocumentOptions } from '../documents/document-fields.ts';
import { sheetOf } from '../documents/sheet.ts';

/** Rows with dots, as `drawLeaders` makes them. */
const ROWS =
  '[data-book-row] { display: flex } [data-book-dots] { flex: 1 1 0; min-width: 1em; height: 1lh; overflow: hidden; white-space: nowrap; direction: rtl }';

/** Returns the rules of the request: paper and margins for pages without their own, and those that come first. */
export function ownSheets(options: DocumentOptions): { readonly usual: string; readonly fixed: string } {
  const { width, height, margins, isNamed, fixedMargins } = sheetOf(options);
  const size = `size: ${inches(width)} ${inches(height)}`;
  return {
    usual: `@page { ${size}; ${marginsOf(margins)} }`,
    fixed: `${ROWS} @page { ${isNamed ? size : ''}; ${marginsOf(fixedMargins)} }`,
  };
}

function marginsOf(margins: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(margins)
    .map(([side, length]) => `margin-${side}: ${length}px`)
    .join('; ');
}

/** Rounded up: content as high as the sheet must fit on it. */
function inches(pixels: number): string {
  return `${Math.ceil((pixels / 96) * 10_000) / 10_000}in`;
}
