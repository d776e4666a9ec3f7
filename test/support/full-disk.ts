// A process whose files must not grow, as on a full disk: `ulimit -f 256; node full-disk.ts <folder>`. It submits jobs
// until the store refuses one, and prints the ids of the jobs that it can still claim. A claim is smaller than a job,
// so a few may fit.
import { createJobId } from '../../src/parts/jobs/job-id.ts';
import { openDatabase } from '../../src/parts/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../src/parts/jobs/sqlite/sqlite-job-store.ts';

const MANY = 10_000;
const CLAIMS = 20;

process.on('SIGXFSZ', () => undefined); // makes the write fail instead of ending the process
const [folder = ''] = process.argv.slice(2);
const database = await openDatabase(folder);
const store = createSqliteStore({ database, leases: { jobMs: 60_000, webhookMs: 60_000 } });

const submit = async (): Promise<void> => {
  const capture = { url: 'https://example.com/' };
  await store.submit([{ id: createJobId(Date.now()), capture, origin: 'http://localhost:8080' }]);
};
let taken = 0;
try {
  for (; taken < MANY; taken++) await submit();
} catch {
  // The disk is full.
}
const claimed: (string | undefined)[] = [];
for (let left = CLAIMS; left > 0; left--) {
  await store.claim().then(
    (claim) => claimed.push(claim?.id),
    () => undefined,
  );
}
process.stdout.write(JSON.stringify({ taken, claimed }));
