// A process whose files may not grow, for a disk that is full: `ulimit -f 256; node full-disk.ts <folder>`. It hands in jobs until no more
// are taken, and says how often one is claimed then.
import { createJobId } from '../../src/jobs/job-id.ts';
import { openDatabase } from '../../src/jobs/sqlite/open-database.ts';
import { createSqliteStore } from '../../src/jobs/sqlite/sqlite-store.ts';

const MANY = 10_000;

process.on('SIGXFSZ', () => undefined); // instead of ending it, the write fails
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
  // It is full.
}
const claims = await Promise.allSettled([store.claim(), store.claim(), store.claim()]);
const claimed = claims.filter(({ status }) => status === 'fulfilled').length;
process.stdout.write(JSON.stringify({ taken, claimed }));
