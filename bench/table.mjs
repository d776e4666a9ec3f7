/** Renders the table of one page: each contender at each number of clients. Markdown, aligned for a terminal. */
export function speedTable(results) {
  const head = [
    'clients',
    'what',
    'captures/s',
    'p50 ms',
    'p95 ms',
    'CPU s per 1,000',
    'KB each',
    'ours / this: captures/s',
    'ours / this: p50',
  ];
  const rows = results.flatMap(({ clients, contenders }) =>
    contenders.map((contender) => [
      String(clients),
      contender.label,
      show(contender.perSecond, 1),
      show(contender.p50, 0),
      show(contender.p95, 0),
      show(contender.cpuMs, 0),
      show(contender.kilobytes, 1),
      showRatio(contender.speedRatio),
      showRatio(contender.p50Ratio),
    ]),
  );
  return layOut([head, ...rows]);
}

/** Compares the speed of the service for few and for many clients. */
export function steadiness(results) {
  if (results.length < 2) return '';
  const speeds = results.map(({ contenders: [ours] }) => ours.perSecond);
  const [least, best] = [Math.min(...speeds), Math.max(...speeds)];
  return `\nOurs at ${results[0].clients} to ${results.at(-1).clients} clients, least / best: ${show(least / best, 2)}\n`;
}

/** Renders the memory of each contender's processes. */
export function memoryTable(rows) {
  const head = ['what', 'processes', 'PSS MB', 'RSS MB'];
  return layOut([
    head,
    ...rows.map(({ label, processes, pssMegabytes, rssMegabytes }) => [
      label,
      show(processes, 0),
      show(pssMegabytes, 0),
      show(rssMegabytes, 0),
    ]),
  ]);
}

function layOut([head, ...rows]) {
  const isText = head.map((name) => name === 'what');
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => pad(cell, widths[column], isText[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => '-'.repeat(width - 1) + (isText[column] ? '-' : ':')).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function pad(cell, width, isText) {
  return isText ? cell.padEnd(width) : cell.padStart(width);
}

function showRatio(ratio) {
  if (ratio === undefined) return '';
  if (!Number.isFinite(ratio.median)) return '-';
  return `${show(ratio.median, 2)} (${show(ratio.min, 2)}-${show(ratio.max, 2)})`;
}

/** Renders a number, or a dash if it is missing. */
function show(number, digits) {
  return Number.isFinite(number) ? number.toFixed(digits) : '-';
}
