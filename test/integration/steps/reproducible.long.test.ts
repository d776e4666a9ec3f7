import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { CHANGING_PAGES } from '../../support/pages/changing-pages.ts';
import { sendHtml, toDocument } from '../../support/pages/exchange.ts';
import { startService } from '../../support/service.ts';

const RUNS = 8;
const CLIENTS = 4;

describe('reproducible captures of two services, one after the other, with four clients', () => {
  let site: FixtureSite;
  const seen = new Map<string, Set<string>>();
  beforeAll(async () => {
    site = await createFixtureSite({
      moreRoutes: {
        '/changing/*': ({ response, rest }) => sendHtml(response, toDocument({ body: CHANGING_PAGES[rest] ?? '' })),
      },
    });
    for (let starts = 0; starts < 2; starts++) {
      await using service = await startService({ POOL_SIZE: String(CLIENTS) });
      for (const kind of Object.keys(CHANGING_PAGES))
        for (const format of ['png', 'webp', 'pdf']) await makeAll(service.url, { kind, format });
    }
  }, 300_000);
  afterAll(() => site.close());

  async function makeAll(service: string, { kind, format }: { kind: string; format: string }): Promise<void> {
    const fields = { url: site.url(`/changing/${kind}`), format, reproducible: true, window_width: 300 };
    const one = async (): Promise<void> => {
      const { body, headers } = await capture(service, { ...fields, full_page: kind === 'scroll' });
      const key = `${kind} as ${format}`;
      const results = seen.get(key) ?? new Set();
      seen.set(key, results.add(`${headers.get('x-capture-digest')} ${body.toString('base64')}`));
    };
    const client = async (): Promise<void> => {
      for (let run = 0; run < RUNS / CLIENTS; run++) await one();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  it('have one digest and the same bytes', () => {
    expect(seen.size).toBe(3 * Object.keys(CHANGING_PAGES).length);
    expect([...seen].filter(([, results]) => results.size !== 1).map(([key]) => key)).toEqual([]);
  });
});
