import { z } from 'zod';
import type { Protocol } from 'puppeteer';
import type { Page } from '../browser/page/page.ts';
import { validationError } from '../ground/errors.ts';
import { fieldsOf, isRefusedValue } from './common/fields.ts';
import { isWithin } from './cookies.ts';
import type { Step } from './common/step.ts';

const MAX_BYTES = 1_048_576;
const MAX_COOKIES = 1_000;
const MAX_ORIGINS = 100;
const STATE_ERROR = 'must be an object with cookies and origins, as Playwright writes it';
const SIZE_ERROR = `must have at most ${MAX_BYTES} bytes as JSON`;
const NO_DATABASES = 'is not supported: write the state without indexedDB';

const text = (what = 'must be text') => z.string({ error: what });
const flag = z.boolean({ error: 'must be true or false' });

const cookie = z.strictObject(
  {
    name: text(),
    value: text(),
    domain: text('must be a domain').min(1, { error: 'must be a domain' }),
    path: text().default('/'),
    expires: z.number({ error: 'must be Unix seconds, or -1 for the end of the session' }).default(-1),
    httpOnly: flag.default(false),
    secure: flag.default(false),
    sameSite: z.enum(['Strict', 'Lax', 'None'], { error: 'must be Strict, Lax or None' }).optional(),
    partitionKey: text().optional(),
    _crHasCrossSiteAncestor: flag.optional(),
  },
  { error: 'must be a cookie with name, value and domain' },
);

const stored = z.strictObject({ name: text(), value: text() }, { error: 'must be an object with name and value' });

const ORIGIN_ERROR = 'must be an origin such as https://app.example.com';
const originState = z.strictObject(
  {
    origin: text(ORIGIN_ERROR).refine(isOrigin, { error: ORIGIN_ERROR }),
    localStorage: z.array(stored, { error: 'must be a list of objects with name and value' }).default([]),
    indexedDB: z.array(z.unknown(), { error: NO_DATABASES }).max(0, { error: NO_DATABASES }).optional(),
  },
  { error: 'must be an object with origin and localStorage' },
);

const schema = fieldsOf('visitor', {
  storage_state: z
    .strictObject(
      {
        cookies: z
          .array(cookie, { error: 'must be a list of cookies' })
          .max(MAX_COOKIES, { error: `may have at most ${MAX_COOKIES} cookies` })
          .default([]),
        origins: z
          .array(originState, { error: 'must be a list of origins' })
          .max(MAX_ORIGINS, { error: `may have at most ${MAX_ORIGINS} origins` })
          .default([]),
      },
      { error: STATE_ERROR },
    )
    .refine((state) => Buffer.byteLength(JSON.stringify(state)) <= MAX_BYTES, { error: SIZE_ERROR })
    .meta({
      description:
        'Log-in state in the form of Playwright: cookies, and local storage by origin. It is set once, before the page is requested, only for the domains and origins that it names',
      example: {
        cookies: [],
        origins: [{ origin: 'https://app.example.com', localStorage: [{ name: 'token', value: 'abc123' }] }],
      },
      accepts: 'object with `cookies` and `origins`, at most 1 MB as JSON',
    })
    .optional(),
});

/** Cookies, and local storage by origin, as Playwright writes them. */
export type StorageState = NonNullable<z.output<typeof schema>['storage_state']>;
type StateCookie = StorageState['cookies'][number];

/** The field `cookies` is that of another step. */
type WithCookies = z.output<typeof schema> & { readonly cookies?: readonly { readonly name: string }[] };

/** Sets the state in the browser context of this capture. */
export const storageState: Step<typeof schema> = {
  name: 'storage-state',
  schema,
  apply: async (page, { storage_state: state, cookies = [] }: WithCookies, { url }) => {
    if (state === undefined) return;
    const hostname = URL.parse(url ?? '')?.hostname ?? '';
    const isNamed = ({ name, domain }: StateCookie): boolean =>
      isWithin(hostname, domain) && cookies.some((cookie) => cookie.name === name);
    await Promise.all([
      ...state.cookies.map(async (each, index) => {
        if (!isNamed(each)) await setCookie(page, each, index); // cookies of the request win
      }),
      setLocalStorage(page, state.origins),
    ]);
  },
};

async function setLocalStorage(page: Page, origins: StorageState['origins']): Promise<void> {
  const filled = origins.filter(({ localStorage }) => localStorage.length > 0);
  if (filled.length === 0) return;
  const refused = await page.localStorage.write(filled);
  const [first] = refused;
  if (first !== undefined)
    throw validationError(
      `storage_state.origins[${origins.findIndex(({ origin }) => origin === first)}]: is not stored by the browser`,
    );
}

async function setCookie(page: Page, given: StateCookie, index: number): Promise<void> {
  const { partitionKey, _crHasCrossSiteAncestor: hasCrossSiteAncestor = false, expires, sameSite, ...same } = given;
  if (expires !== -1 && expires * 1_000 < Date.now()) return; // a browser would have dropped it
  const request: Protocol.Network.SetCookieRequest = {
    ...same,
    ...(expires !== -1 && { expires }),
    ...(sameSite !== undefined && { sameSite }),
    ...(partitionKey !== undefined && { partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor } }),
  };
  const isSet = await page.send('Network.setCookie', request).then(
    ({ success }) => success,
    (error: unknown) => {
      if (isRefusedValue(error)) return false;
      throw error;
    },
  );
  if (!isSet) throw validationError(`storage_state.cookies[${index}]: is not a cookie that the browser accepts`);
}

function isOrigin(given: string): boolean {
  const url = URL.parse(given);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === given;
}
