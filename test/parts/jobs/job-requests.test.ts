import { describe, expect, it } from 'vitest';
import { checkFutureDestinations } from '../../../src/core/capture/check-destination.ts';
import { createDestinationPolicy } from '../../../src/core/egress/destination.ts';
import { readNewJobs } from '../../../src/parts/jobs/routes/job-requests.ts';
import type { Key } from '../../../src/core/access/key.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import { createParseFields, type ParseFields } from '../../../src/core/capture/request/request-parser.ts';
import { NO_TEMPLATES } from '../../../src/parts/templates/templates.ts';

const parseFields = createParseFields(NO_TEMPLATES.expand, { maxWaitMs: 1_000 });
import { keyWith } from '../../support/key.ts';

const url = 'https://example.com/';

function read(body: unknown, kind: 'one' | 'batch' = 'one', key?: Key, given: object = {}) {
  const open = createDestinationPolicy({
    allow: [],
    deny: [],
    resolve: async () => [],
    isOwnPort: () => false,
  });
  return readNewJobs(body, kind, {
    parseFields,
    key,
    hasWebhooks: true,
    namesPages: false,
    checkAddresses: (requested) => checkFutureDestinations(open(), requested),
    origin: 'http://localhost:8080',
    traceparent: undefined,
    owner: 'shop',
    maxBodyBytes: 10_000,
    nowMs: 0,
    signal: new AbortController().signal,
    ...given,
  });
}

const overloaded = async (): Promise<never> => {
  throw new ServiceError('OverloadedError', undefined, { retryAfterSeconds: 7 });
};

describe('a submitted job', () => {
  it.each(['https://%@example.com/', 'https://a:%ff@example.com/', 'https://a:b%4@example.com/'])(
    'refuses a webhook URL with credentials that cannot be sent: %s',
    async (webhook) => {
      await expect(read({ capture: { url }, webhook_url: webhook })).rejects.toMatchObject({
        type: 'ValidationError',
        details: 'webhook_url: must percent-encode its user name and password',
      });
    },
  );

  it('names the capture in an error, and keeps when to try again', async () => {
    await expect(
      read({ captures: [{ url }] }, 'batch', undefined, {
        parseFields: overloaded,
      }),
    ).rejects.toMatchObject({ details: 'captures[0]', retryAfterSeconds: 7 });
  });

  it('checks no more captures of a batch when the client has left', async () => {
    const leaving = new AbortController();
    let checked = 0;
    const counted: ParseFields = (...args) => {
      if (++checked === 2) leaving.abort(new Error('left'));
      return parseFields(...args);
    };

    await expect(
      read({ captures: [{ url }, { url }, { url }] }, 'batch', undefined, {
        parseFields: counted,
        signal: leaving.signal,
      }),
    ).rejects.toThrow('left');
    expect(checked).toBe(2);
  });

  it('accepts a webhook URL with credentials', async () => {
    const webhook = 'https://a%40b:%F0%9F%8E%89@example.com/';

    expect(await read({ capture: { url }, webhook_url: webhook })).toMatchObject([{ webhookUrl: webhook }]);
  });

  it.each(['store', 'store_path'])('has no store_path of its own if the key may not use %s', async (field) => {
    const key = keyWith({ deniedFields: new Set([field]) });

    await expect(read({ capture: { url }, store_path: 'a.png' }, 'one', key)).rejects.toMatchObject({
      type: 'FieldNotAllowedError',
      details: `${field}: is in deny_fields of this key`,
    });
    expect(await read({ capture: { url } }, 'one', key)).toHaveLength(1);
  });

  it('belongs to its key, and has its store_path in the namespace of the key', async () => {
    const bodies = [
      { capture: { url }, store_path: 'a/b.png' },
      { capture: { url, store: true, store_path: 'a/b.png' } },
      { capture: { url } },
    ];

    const jobs = (await Promise.all(bodies.map((body) => read(body)))).flat();

    expect(jobs.map(({ owner, storePath }) => [owner, storePath])).toEqual([
      ['shop', '~owners/shop/a/b.png'],
      ['shop', '~owners/shop/a/b.png'],
      ['shop', undefined],
    ]);
    await expect(
      read({ capture: { url, store: true, store_path: 'a.png' }, store_path: 'b.png' }),
    ).rejects.toMatchObject({ details: expect.stringContaining('differs from the store_path') });
  });

  it.each([
    ['one', { capture: { url, actions: [{ type: 'goto', url: 'http://10.0.0.1/' }] } }, 'capture'],
    [
      'batch',
      {
        defaults: {
          actions: [
            { type: 'press', key: 'Escape' },
            { type: 'goto', url: 'http://[::1]/' },
          ],
        },
        captures: [{ url, actions: [] }, { url }],
      },
      'captures[1]',
    ],
  ] as const)('refuses blocked addresses: %s', async (kind, body, name) => {
    await expect(read(body, kind)).rejects.toMatchObject({
      type: 'DestinationNotAllowedError',
      details: expect.stringMatching(`^${name.replace(/[[\]]/g, '\\$&')}: actions\\[[01]\\] goto$`),
    });
  });

  it('counts defaults once per capture against the size limit', async () => {
    const markup = { html_content: 'x'.repeat(4_900) };
    const twice = await read({ defaults: markup, captures: [{}, {}] }, 'batch');
    const thrice = read({ defaults: markup, captures: [{}, {}, {}] }, 'batch');

    expect(twice).toHaveLength(2);
    await expect(thrice).rejects.toMatchObject({
      type: 'PayloadTooLargeError',
      details: 'defaults: come to 14757 bytes in 3 captures, of at most 10000',
    });
  });
});

describe('the page of a job', () => {
  const url = 'https://me:secret@a.example/b/c?d=e#f';
  const webhook_url = 'https://hooks.example/';

  it('is kept without its log-in if webhooks name pages', async () => {
    const given = { namesPages: true };
    const [job] = await read({ capture: { url }, webhook_url }, 'one', undefined, given);
    const [plain] = await read({ capture: { url } }, 'one', undefined, given);
    const [unnamed] = await read({ capture: { url }, webhook_url });

    expect([job?.label, job?.pageUrl]).toEqual(['a.example/b/c', 'https://a.example/b/c?d=e#f']);
    expect([plain?.pageUrl, unnamed?.pageUrl]).toEqual(['https://a.example/b/c?d=e#f', undefined]);
  });
});
