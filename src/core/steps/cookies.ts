import type { Protocol } from 'puppeteer';
import { z } from 'zod';
import type { Page } from '../browser/page/page.ts';
import { validationError } from '../ground/errors.ts';
import { booleanField, choiceField, fieldsOf, isRefusedValue, numberField, textField } from './common/fields.ts';
import type { Step } from './common/step.ts';

const MAX_COOKIES = 100;
const LIST_ERROR = `must be a list of at most ${MAX_COOKIES} cookies`;
const LATEST_EXPIRY = 253_402_300_799; // end of the year 9999

const cookieField = z.strictObject(
  {
    name: textField(4_096, { description: 'Its name' }),
    value: z.string({ error: 'must be text of at most 4096 characters' }).max(4_096, {
      error: 'must be text of at most 4096 characters',
    }),
    domain: textField(253, {
      description: 'The host of `url` or a parent domain, which includes subdomains. Default: the host alone',
    }).optional(),
    path: textField(1_024, { description: 'Path prefix' }).default('/'),
    secure: booleanField({ description: 'Send the cookie over https only' }).default(false),
    http_only: booleanField({ description: 'Hide the cookie from scripts' }).default(false),
    same_site: choiceField(['strict', 'lax', 'none'], {
      description: 'SameSite attribute',
    }).optional(),
    expires: numberField({ min: 0, max: LATEST_EXPIRY }, { description: 'Unix seconds' }).optional(),
  },
  { error: 'must be an object with name and value' },
);

const schema = fieldsOf('visitor', {
  cookies: z
    .array(cookieField, { error: LIST_ERROR })
    .max(MAX_COOKIES, { error: LIST_ERROR })
    .meta({
      description:
        'Cookies to set before the page is requested. They are sent to the host of `url` on any port, over http and https, as in browsers; `secure` limits a cookie to https',
      example: [{ name: 'session', value: 'abc123', secure: true, http_only: true }],
      accepts:
        'list of objects with `name`, `value` and, optionally, `domain`, `path`, `secure`, `http_only`, `same_site` (`strict`, `lax`, `none`), `expires` (Unix seconds)',
    })
    .optional(),
});

type Cookie = z.output<typeof cookieField>;

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/** Sets the cookies in the browser context of this capture. */
export const cookies: Step<typeof schema> = {
  name: 'cookies',
  schema,
  apply: async (page, { cookies: given }, { url }) => {
    if (given === undefined || url === undefined) return;
    await Promise.all(given.map((cookie, index) => setCookie(page, cookie, { url, index })));
  },
};

async function setCookie(
  page: Page,
  cookie: Cookie,
  { url, index }: { readonly url: string; readonly index: number },
): Promise<void> {
  const { hostname } = new URL(url);
  if (cookie.domain !== undefined && !isWithin(hostname, cookie.domain)) {
    throw validationError(`cookies[${index}].domain: must be the host of url or a parent of it`);
  }
  const isSet = await accepted(page, toProtocol(cookie, url));
  if (!isSet)
    throw validationError(
      `cookies[${index}]: is not a cookie that the browser accepts: check its name, value, path, secure and same_site`,
    );
}

async function accepted(page: Page, cookie: Protocol.Network.SetCookieRequest): Promise<boolean> {
  try {
    const { success } = await page.send('Network.setCookie', cookie);
    return success;
  } catch (error) {
    if (isRefusedValue(error)) return false;
    throw error;
  }
}

function toProtocol(cookie: Cookie, url: string): Protocol.Network.SetCookieRequest {
  const { name, value, path, secure, http_only: httpOnly, same_site: sameSite, domain, expires } = cookie;
  return {
    url,
    name,
    value,
    path,
    secure,
    httpOnly,
    // Adds a leading dot, because Chrome otherwise limits the cookie to that host. A cookie for a public suffix is
    // never sent.
    ...(domain !== undefined && { domain: `.${withoutDot(domain)}` }),
    ...(sameSite !== undefined && { sameSite: SAME_SITE[sameSite] }),
    ...(expires !== undefined && { expires }),
  };
}

/** True if a cookie of this domain is sent to the host. */
export function isWithin(hostname: string, domain: string): boolean {
  const parent = withoutDot(domain).toLowerCase();
  return hostname === parent || hostname.endsWith(`.${parent}`);
}

function withoutDot(domain: string): string {
  return domain.startsWith('.') ? domain.slice(1) : domain;
}
