import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { vi } from 'vitest';
import { browserEnvironment } from '../../src/core/browser/find/browser-environment.ts';
import { loadConfig } from '../support/settings.ts';
import { createResolver } from '../../src/core/egress/resolver.ts';
import { LIST } from '../../src/list.ts';
import { createService } from '../../src/core/service/create-service.ts';
import { eventually } from '../support/eventually.ts';
import type { LogLine } from '../support/service.ts';
import { readHealth } from '../support/service.ts';

/** The service in this process, with a mock DNS server. The caller closes it. */
export interface InnerService extends AsyncDisposable {
  readonly url: string;
  readonly logs: readonly LogLine[];
  /** Process id of the newest browser. */
  readonly browserPid: () => number;
  readonly temporaryFolder: string;
}

/** Starts the service and waits until it is idle. */
export async function startInnerService(
  settings: Readonly<Record<string, string>>,
  dnsServer: string,
): Promise<InnerService> {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'hostile-test-'));
  vi.stubEnv('TMPDIR', temporaryFolder); // read at each use: the profile folders are here
  const logs: LogLine[] = [];
  const log = pino(
    { level: 'debug', base: null, formatters: { level: (label) => ({ level: label }) } },
    new Writable({
      decodeStrings: false,
      write: (line: string, _encoding, done) => {
        logs.push(JSON.parse(line));
        done();
      },
    }),
  );
  const config = loadConfig({
    ...(process.env['BROWSER_EXECUTABLE'] !== undefined && {
      BROWSER_EXECUTABLE: process.env['BROWSER_EXECUTABLE'],
    }),
    PORT: '0',
    RATE_LIMIT_ENABLED: 'false',
    ...settings,
  });
  const resolve = createResolver({ servers: [dnsServer] });
  const service = await createService(config, browserEnvironment(process.env), log, { list: LIST, resolve });
  const { port } = await service.start();
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    const { browser, pool } = await readHealth(url);
    if (browser.captures === 0 || pool.busy > 0) throw new Error('The service is not ready');
  });

  return {
    url,
    logs,
    temporaryFolder,
    browserPid: () => Number(logs.findLast((line) => line.msg === 'browser ready')?.['pid']),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      vi.unstubAllEnvs();
      await rm(temporaryFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
