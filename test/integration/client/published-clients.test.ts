import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as client from '../../../src/programs/client/index.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type RunningService, startService } from '../../support/service.ts';

const UPGRADES = join(import.meta.dirname, '../../upgrades');
const SETTINGS = { AUTH_TOKEN: 'token', URL_SIGNING_SECRET: 'secret' };
/** Versions whose client is kept as it was published. Users do not update it together with the service. */
const RELEASES = readdirSync(UPGRADES).filter((name) => /^\d/.test(name));

describe.each(RELEASES)('the client of version %s', (release) => {
  let [site, service]: [FixtureSite?, RunningService?] = [];
  let published: typeof client;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), startService(SETTINGS, { stores: true })]);
    published = await import(join(UPGRADES, release, 'client/client/index.js'));
  });
  afterAll(async () => {
    await site?.close();
    await service?.[Symbol.asyncDispose]();
  });

  it('captures, and reads facts, data, errors, jobs and links of this service', async () => {
    const address = service?.url ?? '';
    const url = site?.url('/plain') ?? '';
    const { createCaptureClient, signUrl, ValidationError } = published;
    const user = createCaptureClient({ service: address, token: 'token' });

    const page = await user.capture({ url, window_width: 300, window_height: 200 });
    const { data } = await user.capture({ url, response_type: 'json', include: ['metadata'] });
    const withFiles = await user.capture({
      html_content: '<link rel="stylesheet" href="style.css">',
      files: { 'style.css': new TextEncoder().encode('body { color: red }') },
      format: 'html',
    });
    const job = await user.submit({ url, format: 'pdf' });
    const document = await user.wait(job.id);
    const link = await fetch(await signUrl({ url }, { service: address, secret: 'secret' }));

    expect([page.width, page.height, page.targetStatus, page.warnings]).toEqual([300, 200, 200, []]);
    expect(data.target).toMatchObject({ url, status: 200 });
    expect(new TextDecoder().decode(withFiles.bytes)).toContain('style.css');
    expect(new TextDecoder().decode(document.bytes.subarray(0, 4))).toBe('%PDF');
    expect([link.status, link.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    await expect(user.capture({ html_content: 'x', window_width: 0 })).rejects.toThrow(ValidationError);
    await expect(user.job(job.id)).resolves.toMatchObject({ state: 'done', attempts: 1 });
  });
});
