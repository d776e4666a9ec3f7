// Runs `npm test`: the unit and integration tests; with `--all` the long suites, too. Prints the slowest files. The
// last line has the counts of the report, and what skipped tests need.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeSlowest, findOverBudget, readFileTimes } from './file-times.mjs';
import { findNode } from './setup/install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reportFile = join(root, 'test-results', 'report.json');
/** Cache of compiled modules: the tests start about two hundred processes that compile the same ones. */
const compileCache = join(root, 'node_modules', '.cache', 'capture-service-tests');

/**
 * Test files that run at once on two cores: a test waits for half of its time. The long suites keep a core busy with
 * attacks and full machines, and other files beside them reached their time limits: 1 to 4 of 6,800 tests (2026-11-26).
 */
const MOST_WORKERS = process.argv.includes('--all') ? 2 : 4;
/** Milliseconds to write 256 MB of new memory. Two cores that take no longer keep up with all workers. */
const USUAL_MEMORY_MS = 300;

/** Why a test is skipped that names no need: `-t` left it out, or it is for another user or system. */
const OTHER_NEED = 'another user, system or filter';

const { projects, options } = parseArguments(process.argv.slice(2));

rmSync(reportFile, { force: true }); // never count the tests of an earlier run
const temporaryFolder = mkdtempSync(join(tmpdir(), 'tests-'));
chmodSync(temporaryFolder, 0o1777); // some tests run the service as another user
const workers = countWorkers();
if (workers < MOST_WORKERS) console.log(`test: memory is slow here; test files that run at once: ${workers}`);
const exitCode = await runVitest([...projects.map((name) => `--project=${name}`), ...options]);
const left = readdirSync(temporaryFolder);
rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 5 });
const { counts, isComplete, times, needs } = readReport();
if (times.length > 1) console.log(`${describeSlowest(times)}\n`);

const complaint = describeFailure();
if (complaint !== undefined) {
  console.error(`test: ${complaint}`);
  process.exitCode = 1;
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped${describeNeeds(needs)}`);

function parseArguments(given) {
  const projects = ['unit', 'integration', ...(given.includes('--all') ? ['long'] : [])];
  return { projects, options: given.filter((option) => option !== '--all') };
}

/**
 * Where new memory is slow, so is each process of a browser. With fewer files at once, a capture takes as long as on
 * other machines, and does not reach the time limits of the tests.
 */
function countWorkers() {
  const times = [1, 2].map(() => {
    const startedAt = performance.now();
    for (let count = 0; count < 4; count++) Buffer.alloc(64 * 2 ** 20, 1);
    return performance.now() - startedAt;
  });
  const fitting = Math.floor((MOST_WORKERS * USUAL_MEMORY_MS) / Math.min(...times));
  return Math.min(MOST_WORKERS, Math.max(1, fitting));
}

function runVitest(options) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(findNode(root) ?? process.execPath, [vitest, 'run', ...reporters, ...options], {
    cwd: root,
    env: {
      NODE_COMPILE_CACHE: compileCache,
      TEST_WORKERS: `${workers}`,
      ...process.env,
      TMPDIR: temporaryFolder,
    },
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
      needs: readNeeds(report),
    };
  } catch {
    return { counts: { passed: 0, failed: 0, skipped: 0 }, isComplete: false, times: [], needs: new Map() };
  }
}

/** Counts the skipped tests by what they need, which their titles say: `(needs redis-server)`. */
function readNeeds({ testResults }) {
  const skipped = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'skipped' || status === 'pending');
  const needs = new Map();
  for (const { fullName } of skipped) {
    const [, need = OTHER_NEED] = /needs ([^)]+)\)/.exec(fullName) ?? [];
    needs.set(need, (needs.get(need) ?? 0) + 1);
  }
  return needs;
}

function describeNeeds(needs) {
  if (needs.size === 0) return '';
  const counted = [...needs].map(([need, count]) => `${count} for lack of ${need}`);
  return ` (${counted.join(', ')})`;
}

function describeFailure() {
  if (!isComplete) return 'vitest wrote no report; its output is above';
  if (counts.failed > 0) return `tests failed: ${counts.failed}`;
  // A file that does not load, or an error outside every test.
  if (exitCode !== 0) return `vitest ended with exit code ${exitCode} although no test failed; its output is above`;
  if (counts.passed === 0) return 'no test ran';
  if (left.length > 0) return `tests left files in the temporary folder: ${left.join(', ')}`;
  return findOverBudget(times);
}
