import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const COUNTER = join(import.meta.dirname, '../../support/count-messages.mjs');
const CAPTURES = 6;

describe('messages to the browser', () => {
  let [site, service, folder]: [FixtureSite?, RunningService?, string?] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'messages-'));
    const counted = { NODE_OPTIONS: `--import=${COUNTER}`, MESSAGES_FILE: join(folder, 'messages') };
    [site, service] = await Promise.all([createFixtureSite(), startService({ POOL_SIZE: '1', ...counted })]);
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await site?.close();
    await rm(folder ?? '', { recursive: true, force: true });
  });

  /** Returns messages and bytes of a capture, on average from one navigation to another. */
  async function countOf(fields: object): Promise<{ readonly messages: number; readonly bytes: number }> {
    for (let made = 0; made <= CAPTURES; made++)
      await capture(service?.url ?? '', { url: site?.url('/plain'), ...fields });
    const lines = (await readFile(join(folder ?? '', 'messages'), 'utf8')).trim().split('\n');
    const navigations = lines.flatMap((line, at) => (line.startsWith('Page.navigate ') ? at : []));
    const counted = lines.slice(navigations.at(-CAPTURES - 1), navigations.at(-1));
    const bytes = counted.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
    return { messages: counted.length / CAPTURES, bytes: bytes / CAPTURES };
  }

  // Each message wakes the browser, and it compiles each script anew. The first two limits are those of 2026-11-24, the
  // others what was measured on 2026-11-29.
  it.each<[fields: object, messages: number, bytes: number]>([
    [{}, 21.8, 30_000],
    [{ full_page: true }, 26, 65_000],
    [{ format: 'pdf' }, 31, 70_000],
    [{ format: 'html' }, 17, 18_000],
  ])('stay few and small for %j', async (fields, mostMessages, mostBytes) => {
    const { messages, bytes } = await countOf(fields);

    expect([messages <= mostMessages, bytes <= mostBytes, messages, bytes]).toEqual([true, true, messages, bytes]);
  });
});
