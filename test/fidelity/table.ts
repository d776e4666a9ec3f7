import type { CaseResult } from './run-all.ts';

const HEAD = ['Case', 'Expected result'];

/**
 * Renders the results as a document, with one column per browser; `label` names this one. Columns of other browsers and
 * the sections below the table come from `earlier`, the previous version of the document.
 */
export function writeTable(results: readonly CaseResult[], label: string, earlier: string): string {
  const [table = '', ...sections] = earlier.split(/^(?=## )/m);
  const known = readColumns(table);
  known.set(label, new Map(results.map(({ id, result }) => [id, result])));
  const labels = [...known.keys()].toSorted();
  const rows = results.map(({ id, title }) => [
    `\`${id}\``,
    title,
    ...labels.map((each) => known.get(each)?.get(id) ?? 'not run'),
  ]);
  return `# Fidelity

Each case checks one typical fault of captures, by pixels, text or structure.
\`npm run fidelity -- --write test/fidelity/REPORT.md\` writes this table. \`test/fidelity/\` contains the pages and the expected results.

${[[...HEAD, ...labels], [...HEAD, ...labels].map(() => '---'), ...rows].map(toLine).join('\n')}
${sections.length > 0 ? `\n${sections.join('')}` : ''}`;
}

/** Returns the results of an earlier table by label, then by case. */
function readColumns(page: string): Map<string, Map<string, string>> {
  const [head = [], , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(readLine);
  return new Map(
    head.slice(HEAD.length).map((label, column) => {
      const cells = rows.map((row) => [(row[0] ?? '').replaceAll('`', ''), row[HEAD.length + column] ?? ''] as const);
      return [label, new Map(cells)];
    }),
  );
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`;
}

function readLine(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
