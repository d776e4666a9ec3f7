import { z } from 'zod';
import type { Protocol } from 'puppeteer';
import type { Page } from '../../core/browser/page/page.ts';
import type { StorageState } from '../../core/steps/storage-state.ts';
import { type Part, PART_LIMITS } from './answer-part.ts';

/** Cookies and local storage that the page has left, in the form of `storage_state`. They are secrets. */
export const storageStatePart: Part = {
  description:
    'Cookies and local storage after the capture, in the form of the field `storage_state`: the log-in of the next capture. A secret, not for signed links',
  schema: z.object({
    cookies: z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        domain: z.string(),
        path: z.string(),
        expires: z.number(),
        httpOnly: z.boolean(),
        secure: z.boolean(),
        sameSite: z.enum(['Strict', 'Lax', 'None']),
        partitionKey: z.string().optional(),
        _crHasCrossSiteAncestor: z.boolean().optional(),
      }),
    ),
    origins: z.array(
      z.object({
        origin: z.string(),
        localStorage: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    ),
    truncated: z.literal(true).optional(),
  }),
  query: async (page) => {
    const [cookies, stored] = await Promise.all([cookiesOf(page), page.localStorage.read()]);
    let left = PART_LIMITS.text;
    const origins = stored.filter((each) => (left -= JSON.stringify(each).length) >= 0);
    return { cookies, origins, ...(origins.length < stored.length && { truncated: true }) };
  },
};

async function cookiesOf(page: Page): Promise<StorageState['cookies']> {
  const { cookies } = await page.send('Network.getAllCookies');
  return cookies.map(toStateCookie);
}

function toStateCookie(cookie: Protocol.Network.Cookie): StorageState['cookies'][number] {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite = 'Lax', partitionKey: partition } = cookie;
  return {
    name,
    value,
    domain,
    path,
    expires,
    httpOnly,
    secure,
    sameSite,
    ...(partition !== undefined && {
      partitionKey: partition.topLevelSite,
      _crHasCrossSiteAncestor: partition.hasCrossSiteAncestor,
    }),
  };
}
