import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { LOCALE_PAGE } from '../../support/pages/locale.ts';
import { startService } from '../../support/service.ts';

interface Seen {
  readonly language: string;
  readonly languages: readonly string[];
  readonly locale: string;
  readonly timeZone: string;
  readonly number: string;
  readonly own: string;
}

/** Headless shell sends the list as it is; full Chrome adds weights. */
const ENGLISH_HEADER = /^en-US,en(;q=0\.9)?$/;
const { scopes, requests } = LOCALE_PAGE;

describe('the language and the time zone that pages see', () => {
  let site: FixtureSite;
  beforeAll(async () => {
    site = await createFixtureSite();
  });
  afterAll(() => site.close());

  // The environment of the service used to leak: navigator.language was en-US@posix, and no header was sent.
  it.each([
    ['C.UTF-8', { LANG: 'C.UTF-8' }],
    ['de_DE.UTF-8', { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de' }],
    ['not set', {}],
  ])('are English and those of the machine if LANG is %s', async (_name, settings) => {
    const { seen, headers } = await look({ ...settings, TZ: 'Asia/Tokyo' });

    for (const scope of scopes) {
      expect({ scope, ...seen[scope] }).toMatchObject({
        scope,
        language: 'en-US',
        locale: 'en-US',
        timeZone: 'Asia/Tokyo',
        number: '1,234.5',
        own: '1/1/1970',
      });
    }
    expect(seen['page']?.languages).toEqual(['en-US', 'en']);
    for (const path of requests) expect(headers.get(path)?.['accept-language']).toMatch(ENGLISH_HEADER);
  });

  it.each([
    ['de-CH', /^1['’]234\.5$/, '1.1.1970'], // by the version of Chrome
    ['ja', /^1,234\.5$/, '1970/1/1'],
    ['pt-BR', /^1\.234,5$/, '01/01/1970'],
    ['zh-Hant-TW', /^1,234\.5$/, '1970/1/1'],
    ['ar', /^1,234\.5$/, '1\u200F/1\u200F/1970'],
  ])('are those of DEFAULT_LOCALE %s and DEFAULT_TIMEZONE', async (locale, number, own) => {
    const { language } = new Intl.Locale(locale);
    const settings = { LANG: 'C.UTF-8', TZ: 'Asia/Tokyo' };

    const { seen, headers } = await look({
      ...settings,
      DEFAULT_LOCALE: locale.toLowerCase(),
      DEFAULT_TIMEZONE: 'utc',
    });

    for (const scope of scopes) {
      expect({ scope, ...seen[scope] }).toMatchObject({
        scope,
        language: locale,
        locale,
        timeZone: 'UTC',
        number: expect.stringMatching(number),
        own,
      });
    }
    expect(seen['page']?.languages).toEqual([...new Set([locale, language])]);
    for (const path of requests) expect(headers.get(path)?.['accept-language']).toMatch(new RegExp(`^${locale}(,|$)`));
  });

  it('are those of the request if it sets them, also in the workers of all its frames', async () => {
    const { seen, headers } = await look(
      { DEFAULT_LOCALE: 'ja', DEFAULT_TIMEZONE: 'Asia/Tokyo' },
      { locale: 'pt-BR', timezone: 'America/Sao_Paulo' },
    );

    // Overrides do not reach shared workers: they keep the settings of the browser process.
    for (const scope of scopes.filter((each) => each !== 'shared')) {
      expect({ scope, ...seen[scope] }).toMatchObject({
        scope,
        language: 'pt-BR',
        languages: ['pt-BR', 'pt'],
        locale: 'pt-BR',
        timeZone: 'America/Sao_Paulo',
        number: '1.234,5',
        own: '31/12/1969',
      });
    }
    for (const path of requests.filter((each) => !each.endsWith('shared'))) {
      expect({ path, header: headers.get(path)?.['accept-language'] }).toEqual({
        path,
        header: 'pt-BR,pt;q=0.9',
      });
    }
  });

  it('do not change if only the user agent is set, which workers get, too', async () => {
    const { seen, headers } = await look({ LANG: 'C.UTF-8' }, { user_agent: 'Somebody/1.0' });

    for (const scope of scopes) expect({ scope, ...seen[scope] }).toMatchObject({ language: 'en-US' });
    for (const path of requests.filter((each) => !each.endsWith('shared'))) {
      expect({ path, agent: headers.get(path)?.['user-agent'] }).toEqual({ path, agent: 'Somebody/1.0' });
      expect(headers.get(path)?.['accept-language']).toMatch(ENGLISH_HEADER);
    }
  });

  /** Returns the locale in each scope of the page and the headers of each of its requests. */
  async function look(
    settings: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<{
    readonly seen: Readonly<Record<string, Seen>>;
    readonly headers: ReadonlyMap<string, IncomingHttpHeaders>;
  }> {
    await using service = await startService({ POOL_SIZE: '1', ...settings });
    const requestsBefore = site.requests.length;
    const { body } = await capture(service.url, {
      url: site.url('/locale'),
      format: 'html',
      wait_for_selector: 'body.reported',
      ...fields,
    });
    const text = /<pre id="seen">([^<]*)<\/pre>/.exec(body.toString())?.[1];
    if (text === undefined) throw new Error(`The page did not report its locale: ${body.toString().slice(0, 500)}`);
    return {
      seen: JSON.parse(text),
      headers: new Map(site.requests.slice(requestsBefore).map(({ path, headers }) => [path, headers])),
    };
  }
});
