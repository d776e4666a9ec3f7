// The worker thread of watches.sqlite.
import { workerData } from 'node:worker_threads';
import { serveDatabase } from '../../stores/serve-database.ts';
import { openWatches, WATCH_FILE } from './sqlite-watches.ts';

const { folder }: { readonly folder: string } = workerData;
serveDatabase(() => openWatches(folder), WATCH_FILE);
