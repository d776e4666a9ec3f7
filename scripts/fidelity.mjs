// Runs every fidelity case against this service, or against any with the same interface: npm run fidelity -- [--url
// http://127.0.0.1:8080] [--token T] [--label 'headless shell'] [--only id] [--write test/fidelity/REPORT.md]
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createFidelitySite, SERVICE_SETTINGS } from '../test/fidelity/all-cases.ts';
import { runAll } from '../test/fidelity/run-all.ts';
import { writeTable } from '../test/fidelity/table.ts';
import { startService } from '../test/support/service.ts';

const REPEATS = Number(process.env['FIDELITY_REPEATS'] ?? 20);

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    label: { type: 'string', default: 'headless shell' },
    only: { type: 'string', default: '' },
    write: { type: 'string' },
  },
});

await using stack = new AsyncDisposableStack();
const site = stack.use(await createFidelitySite());
const service = values.url ?? stack.use(await startService(SERVICE_SETTINGS)).url;
const results = await runAll(
  { service, token: values.token, site, repeats: REPEATS, patience: 1 },
  { filter: values.only, report: ({ id, result }) => console.log(`${id.padEnd(34)} ${result}`) },
);

const failed = results.filter(({ passed }) => !passed);
if (values.write !== undefined) {
  const earlier = await readFile(values.write, 'utf8').catch(() => ''); // the file is missing on the first run
  await writeFile(values.write, writeTable(results, values.label, earlier));
}
console.log(`fidelity: ${results.length - failed.length} of ${results.length} cases pass (${values.label})`);
if (failed.length > 0) process.exitCode = 1;
