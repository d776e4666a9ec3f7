// A process whose files must not grow, as on a full disk: `ulimit -f 256; node full-disk-watches.ts <folder>`. It adds
// watches until the store refuses one, and prints how many it has added and can list, and the reason.
import { openWatches } from '../../src/parts/watches/stores/sqlite-watches.ts';
import { describeProblem } from '../../src/parts/stores/database-problem.ts';
import { limitsOf, watchOf } from './watches.ts';

const MANY = 10_000;

process.on('SIGXFSZ', () => undefined); // makes the write fail instead of ending the process
const [folder = ''] = process.argv.slice(2);
const store = await openWatches(folder);
let [added, reason] = [0, ''];
try {
  for (; added < MANY; added++) store.add(watchOf(String(added).padStart(6, '0')), limitsOf(MANY));
} catch (error) {
  reason = describeProblem(error, 'watches.sqlite').message;
}
const listed = store.list(undefined, { limit: MANY }).length;
process.stdout.write(JSON.stringify({ added, listed, reason }));
