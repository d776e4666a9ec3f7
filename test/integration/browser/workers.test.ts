import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

describe('workers', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([createFixtureSite(), sharedService()]);
  });
  afterAll(() => site.close());

  // Frames in other processes are held until they are prepared. Chrome held their workers as well, for ever.
  it.each([
    ['without options', {}],
    ['with custom headers', { custom_headers: { 'X-A': 'b' } }],
  ])('run in a page with frames, in its frames and in other workers: captured %s', async (_how, fields) => {
    const { status, body } = await capture(service.url, {
      url: site.url('/locale'),
      format: 'html',
      wait_for_selector: 'body.reported',
      wait_for_timeout: 10_000,
      ...fields,
    });

    expect({ status, text: body.toString() }).toMatchObject({
      status: 200,
      text: expect.stringMatching(/"worker".*"nested"|"nested".*"worker"/),
    });
    expect(body.toString()).toContain('"crossWorker"');
  });
});
