import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { type RunningService, startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address that starts the shared service and answers with its URL. */
    readonly sharedServiceStarter: string;
  }
}

/** One page for each of the four files that run at once, and two for files with concurrent tests. */
const POOL_SIZE = 6;

/**
 * Global set-up of Vitest: offers the workers one service, and stops it after the last file. A worker could not stop
 * it, because Vitest ends workers with a signal.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<RunningService> | undefined;
  const starter = createServer((_request, response) => {
    starting ??= startService({ POOL_SIZE: `${POOL_SIZE}` });
    starting.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(starter.listen(0, '127.0.0.1'), 'listening');
  const address = starter.address();
  if (address === null || typeof address === 'string') throw new TypeError('The starter has no port');
  provide('sharedServiceStarter', `http://127.0.0.1:${address.port}/`);
  return async () => {
    starter.close();
    starter.closeAllConnections();
    const service = await starting?.catch(() => undefined); // the file that requested it has failed
    await service?.[Symbol.asyncDispose]();
  };
}
