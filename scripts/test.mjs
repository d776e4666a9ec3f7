// Runs `npm test`: every test except the long hostile ones. Prints the slowest files, and the counts of the report as the last line.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSlowest, findOverBudget, readFileTimes } from './file-times.mjs';
import { findNode } from './setup/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reportFile = join(root, 'test-results', 'report.json');
/** Cache of compiled modules: the tests start about two hundred processes that compile the same ones. */
const compileCache = join(root, 'node_modules', '.cache', 'capture-service-tests');

rmSync(reportFile, { force: true }); // never count the tests of an earlier run
const exitCode = await runVitest(['--project=unit', '--project=integration', ...process.argv.slice(2)]);
const { counts, isComplete, times } = readReport();
if (times.length > 1) console.log(`${describeSlowest(times)}\n`);

const complaint = describeFailure();
if (complaint !== undefined) {
  console.error(`test: ${complaint}`);
  process.exitCode = 1;
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);

function runVitest(options) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(findNode(root) ?? process.execPath, [vitest, 'run', ...reporters, ...options], {
    cwd: root,
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function readReport() {
  try {
    const report = JSON.parse(readFileSync(reportFile, 'utf8'));
    const counts = {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    };
    return {
      counts,
      isComplete: Object.values(counts).every(Number.isInteger),
      times: readFileTimes(report, root),
    };
  } catch {
    return { counts: { passed: 0, failed: 0, skipped: 0 }, isComplete: false, times: [] };
  }
}

function describeFailure() {
  if (!isComplete) return 'vitest wrote no report; its output is above';
  if (counts.failed > 0) return `tests failed: ${counts.failed}`;
  // A file that does not load, or an error outside every test.
  if (exitCode !== 0)
    return `vitest ended with exit code ${exitCode} although no test failed; its output is above`;
  return counts.passed === 0 ? 'no test ran' : findOverBudget(times);
}
