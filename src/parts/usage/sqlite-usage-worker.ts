// The worker thread of usage.sqlite.
import { workerData } from 'node:worker_threads';
import { serveDatabase } from '../stores/serve-database.ts';
import { openUsage, USAGE_FILE } from './sqlite-usage.ts';

const { folder }: { readonly folder: string } = workerData;
serveDatabase(() => openUsage(folder), USAGE_FILE);
