import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASE_GROUPS } from './cases/all.ts';
import { type HostileCase, isRunHere } from './hostile-case.ts';
import { describeEvents } from './protocol-events.ts';

const FILE = fileURLToPath(new URL('./REPORT.md', import.meta.url));

const HEAD = `# Hostile cases

\`npm run test:hostile\` runs every case of this table and writes the results (\`UPDATE_HOSTILE_TABLE=1\`). After each
case it checks that:

- the answer came in time, and an error contained no addresses or code;
- answers and log lines contained no token, no secret, and no text that belongs to another key or template;
- the next capture is equal to the pixel;
- pages, connections, files and processes are closed or removed;
- nothing reached the canaries. These are servers on 127.0.0.1, ::1 and the machine's own addresses, which count
  connections and UDP packets.
`;

/**
 * Writes test/hostile/REPORT.md. `results` maps ids to `passes` or the reason. It contains no timings, so that equal
 * runs give equal files.
 */
export function writeCaseTable(results: ReadonlyMap<string, string>): void {
  const groups = CASE_GROUPS.map(({ name, cases }) =>
    [
      `\n## ${name}\n`,
      '| case | attack | answers | result |',
      '| --- | --- | --- | --- |',
      ...cases.map((each) => rowOf(each, results)),
    ].join('\n'),
  );
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${HEAD}${groups.join('\n')}\n${describeEvents()}\n`);
}

function rowOf(hostileCase: HostileCase, results: ReadonlyMap<string, string>): string {
  const { id, title, outcomes = ['200'] } = hostileCase;
  const answers = isRunHere(hostileCase) ? outcomes.map((outcome) => outcome.trim()).join(' or ') : '';
  const cells = [id, title, answers, resultOf(hostileCase, results)];
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')).join(' | ')} |`;
}

function resultOf({ id, notApplicable, elsewhere }: HostileCase, results: ReadonlyMap<string, string>): string {
  if (notApplicable !== undefined) return `does not apply: ${notApplicable}`;
  return elsewhere === undefined ? (results.get(id) ?? 'not run') : `tested in ${elsewhere}`;
}
