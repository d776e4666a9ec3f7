import type { StructureElement } from './structure.ts';

const GROUPS: ReadonlySet<string> = new Set(['THead', 'TBody', 'TFoot', 'NonStruct']);
const CELLS: ReadonlySet<string> = new Set(['TH', 'TD']);
const MOST_COLUMNS = 1_000;

/** Returns how many cells each row of a table lacks, by the number of the row. Rows of one table are equally long. */
export function missingCells(
  table: StructureElement,
  kidsOf: (element: StructureElement) => readonly StructureElement[],
): ReadonlyMap<number, number> {
  const lengths = new Map<number, number>();
  let fromAbove: number[] = []; // for each column, how many more rows a cell reaches down
  const visit = (element: StructureElement): void => {
    for (const kid of kidsOf(element)) {
      if (kid.type === 'TR') {
        const cells = kidsOf(kid).filter(({ type }) => CELLS.has(type));
        fromAbove = rowBelow(fromAbove, cells);
        lengths.set(kid.number, fromAbove.length);
        fromAbove = fromAbove.map((rows) => Math.max(rows - 1, 0));
        while (fromAbove.at(-1) === 0) fromAbove.pop();
      } else if (GROUPS.has(kid.type)) {
        visit(kid);
        if (kid.type !== 'NonStruct') fromAbove = [];
      }
    }
  };
  visit(table);
  const longest = lengths.values().reduce((most, length) => Math.max(most, length), 0);
  return new Map(Array.from(lengths, ([row, length]) => [row, longest - length]));
}

/** Returns the columns of a row: for each, how many rows its cell has, this one included. */
function rowBelow(fromAbove: readonly number[], cells: readonly StructureElement[]): number[] {
  const columns = [...fromAbove];
  let column = 0;
  for (const { text } of cells) {
    while ((columns[column] ?? 0) > 0) column++;
    const [rows, width] = [spanOf(text, 'RowSpan'), Math.min(spanOf(text, 'ColSpan'), MOST_COLUMNS)];
    for (const end = column + width; column < end; column++) columns[column] = rows;
  }
  return columns;
}

function spanOf(text: string, name: string): number {
  const [, digits = '1'] = new RegExp(`/${name} (\\d+)`).exec(text) ?? [];
  return Number(digits);
}
