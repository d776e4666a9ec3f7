const MAX_SPAN = 50;
const MAX_CELLS = 200_000;
const MOST_REPEATED = 200; // characters
const IN_CELLS = 'h1, h2, h3, h4, h5, h6, ul, ol, dl, pre, blockquote, hr, table';

/**
 * Prepares tables for markdown. Data tables get rows of equal length with a header row and text cells. Layout tables
 * become paragraphs. Runs in the page, on a copy.
 */
export function tidyTables(root: Element): void {
  // Handles inner tables first, because an inner layout table must not stop the outer one from being a data table.
  for (const table of [...root.querySelectorAll('table')].toReversed()) {
    const rows = rowsOf(table);
    if (isData(table, rows)) toGrid(table, rows);
    else toText(table, rows);
  }
  for (const stray of root.querySelectorAll('td, th, tr, thead, tbody, tfoot, caption'))
    if (stray.closest('table') === null) rename(stray, 'div');
}

function make(near: Element, name: string): HTMLElement {
  return near.ownerDocument.createElement(name);
}

/** Gives an element another name. Its attributes are lost. */
export function rename(element: Element, name: string): HTMLElement {
  const made = make(element, name);
  while (element.firstChild !== null) made.append(element.firstChild);
  element.replaceWith(made);
  return made;
}

function spanOf(cell: Element, name: string, most: number): number {
  return Math.min(Math.max(1, Number.parseInt(cell.getAttribute(name) ?? '1', 10) || 1), most);
}

function cellsOf(row: Element): Element[] {
  return [...row.children].filter(({ localName }) => /^t[dh]$/.test(localName));
}

/** Returns the rows of a table, without those of tables in it, in the order in which they are shown. */
function rowsOf(table: Element): Element[] {
  const rows = [...table.querySelectorAll('tr')].filter((row) => row.closest('table') === table);
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function placeOf({ parentElement }: Element): number {
  const section = parentElement?.localName;
  return section === 'thead' ? 0 : section === 'tfoot' ? 2 : 1;
}

function isData(table: Element, rows: readonly Element[]): boolean {
  if (/^(presentation|none)$/.test(table.getAttribute('role') ?? '')) return false;
  if (table.querySelector('table') !== null) return false;
  const counts = rows.map((row) => cellsOf(row).length);
  if (Math.max(0, ...counts.slice(0, MAX_CELLS / 2)) < 2) return false;
  if (table.querySelector('th, thead, caption') !== null) return true;
  return rows.length > 1 && counts.every((count) => count === counts[0]) && table.querySelector(IN_CELLS) === null;
}

/** Converts the content of a cell to one line of text. */
function flatten(cell: Element): void {
  for (const inner of cell.querySelectorAll('h1, h2, h3, h4, h5, h6')) rename(inner, 'strong').before(make(cell, 'br'));
  for (const inner of cell.querySelectorAll('li')) {
    inner.prepend('• ');
    inner.append(make(cell, 'br'));
  }
  for (const inner of cell.querySelectorAll('hr')) inner.remove();
  for (const inner of cell.querySelectorAll('pre')) inner.replaceWith(...linesOfCode(inner));
  for (const inner of cell.querySelectorAll('ul, ol, li, dl, dt, dd, blockquote')) rename(inner, 'div');
}

/** Returns code as lines that a cell can hold. */
function linesOfCode(code: Element): Element[] {
  const lines = code.textContent.replace(/\n$/, '').split('\n');
  return lines.flatMap((text) => {
    const line = make(code, 'code');
    line.append(text);
    return text.trim() === '' ? [make(code, 'br')] : [line, make(code, 'br')];
  });
}

function grid(rows: readonly Element[]): Element[][] {
  const lines: Element[][] = rows.map(() => []);
  let count = 0;
  for (const [index, row] of rows.entries()) {
    const line = lines[index] ?? [];
    let column = 0;
    for (const cell of cellsOf(row)) {
      while (line[column] !== undefined) column++;
      const [wide, high] = [spanOf(cell, 'colspan', MAX_SPAN), spanOf(cell, 'rowspan', rows.length - index)];
      for (let down = 0; down < high && count < MAX_CELLS; down++)
        for (let right = 0; right < wide; right++, count++) {
          const there = lines[index + down];
          if (there !== undefined)
            there[column + right] = right > 0 ? make(row, 'td') : down === 0 ? cell : repeated(cell);
        }
      column += wide;
    }
  }
  return lines;
}

/** A cell over several rows is a value of each of them. Long texts are not repeated. */
function repeated(cell: Element): Element {
  const again = make(cell, 'td');
  if (cell.textContent.length <= MOST_REPEATED) for (const node of cell.childNodes) again.append(node.cloneNode(true));
  return again;
}

function toGrid(table: Element, rows: readonly Element[]): void {
  const hasHead =
    rows[0]?.parentElement?.localName === 'thead' ||
    cellsOf(rows[0] ?? table).every(({ localName }) => localName === 'th');
  const lines = grid(rows);
  const width = Math.max(...lines.map((line) => line.length));
  const caption = table.querySelector('caption');
  if (caption !== null) {
    table.before(caption);
    rename(caption, 'p');
  }
  const all = hasHead ? lines : [[], ...lines];
  const made = all.map((line, index) => {
    const row = make(table, 'tr');
    if (index === 0) row.className = 'head';
    for (let column = 0; column < width; column++) {
      const cell = line[column] ?? make(table, 'td');
      flatten(cell);
      row.append(cell);
    }
    return row;
  });
  table.replaceChildren();
  for (const row of made) table.append(row);
}

function toText(table: Element, rows: readonly Element[]): void {
  for (const row of rows) {
    const isLine = row.querySelector(`${IN_CELLS}, div, p`) === null;
    for (const cell of cellsOf(row)) {
      if (isLine) rename(cell, 'span').after(' ');
      else rename(cell, 'div');
    }
    rename(row, isLine ? 'p' : 'div');
  }
  for (const part of table.querySelectorAll('caption, thead, tbody, tfoot'))
    if (part.closest('table') === table) rename(part, 'div');
  rename(table, 'div');
}
