import type { CaseResult } from './run-all.ts';

const HEAD = ['Case', 'What is right'];

/**
 * The results as a page of documentation, with a column for the browser that `label` names. Columns of other browsers are taken
 * over from `earlier`, the same page as it was, and so are the sections below the table.
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

What goes wrong with pictures and documents of web pages, each as a case that looks at pixels, text or structure.
Written by \`npm run fidelity -- --write docs/fidelity.md\`; the pages and what is expected of them are in \`test/fidelity/\`.

${[[...HEAD, ...labels], [...HEAD, ...labels].map(() => '---'), ...rows].map(toLine).join('\n')}
${sections.length > 0 ? `\n${sections.join('')}` : ''}`;
}

/** By label, then by case: what a table says in the columns behind the fixed ones. */
function readColumns(page: string): Map<string, Map<string, string>> {
  const [head = [], , ...rows] = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(readLine);
  return new Map(
    head.slice(HEAD.length).map((label, column) => {
      const cells = rows.map(
        (row) => [(row[0] ?? '').replaceAll('`', ''), row[HEAD.length + column] ?? ''] as const,
      );
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
