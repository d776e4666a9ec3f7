import { once } from 'node:events';
import type { CaptureOptions } from '../../src/core/capture/request/options.ts';
import { parseOptions } from '../../src/core/capture/request/parse-options.ts';
import { appWith } from './app.ts';
import { createMemoryStorage } from './memory-storage.ts';

/** The routes of the service without a browser. Records the options of each capture. The caller closes it. */
export interface ReceivingApp extends AsyncDisposable {
  readonly url: string;
  /** The parsed options of each request, in order. */
  readonly received: readonly CaptureOptions[];
  /** Returns the paths of the stored results. */
  readonly storedPaths: () => readonly string[];
}

/** Returns the options that a capture gets. */
export function receivedOptions(fields: Readonly<Record<string, unknown>>): CaptureOptions {
  return parseOptions(fields, { maxWaitMs: 60_000 }).capture;
}

/** Starts the app on a free port. */
export async function startReceivingApp(): Promise<ReceivingApp> {
  const received: CaptureOptions[] = [];
  const storage = createMemoryStorage();
  const app = appWith({
    onCapture: (options) => received.push(options),
    result: { file: Buffer.from('{}') },
    resultStorage: storage,
    maxBodyBytes: 1_000_000,
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The app has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    storedPaths: () => [...storage.files.keys()],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
