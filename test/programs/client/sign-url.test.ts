import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifySignature } from '../../../src/core/access/signature.ts';
import { FIELD_NAMES } from '../../../src/programs/client/capture-fields.ts';
import { signUrl } from '../../../src/programs/client/sign-url.ts';
import vectorFile from '../../core/access/signature-vectors.json' with { type: 'json' };

const SERVICE = 'https://captures.example.com';
const SECRET = 's3cret-signing-key';
const NOW = 1_800_000_000;

describe('signUrl', () => {
  beforeEach(() => vi.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => vi.useRealTimers());

  it.each(vectorFile.vectors)('signs like an independent implementation: $name', async (vector) => {
    // The inferred type of the file gives each vector the parameters of all others, as text.
    const { expires = 'never', ...fields }: { readonly expires?: string } = vector.params;

    const link = await signUrl(fields, {
      service: SERVICE,
      secret: vector.secret,
      expires: expires === 'never' ? expires : Number(expires),
    });

    expect(new URL(link).searchParams.get('signature')).toBe(vector.signature);
    expect(paramsOf(link)).toEqual(paramsOf(`${SERVICE}/capture?${vector.query}`));
  });

  it('signs for a key', async () => {
    const link = await signUrl({ url: 'https://example.com/' }, { service: SERVICE, secret: SECRET, key: 'shop' });

    expect(paramsOf(link).get('key')).toBe('shop');
    expect(() => verify(paramsOf(link))).not.toThrow();
  });

  it('encodes numbers, lists and objects as the service parses them', async () => {
    const fields = {
      url: 'https://example.com/',
      window_width: 640,
      full_page: false,
      hide_selectors: ['.a', '#b'],
      clip: { x: 0, y: 0, width: 8, height: 9 },
      selector: undefined,
    };

    const params = paramsOf(await signUrl(fields, { service: SERVICE, secret: SECRET, expires: 'never' }));

    const { signature, ...signed } = Object.fromEntries(params);
    expect(signed).toEqual({
      url: 'https://example.com/',
      window_width: '640',
      full_page: 'false',
      hide_selectors: '[".a","#b"]',
      clip: '{"x":0,"y":0,"width":8,"height":9}',
    });
    expect(() => verify(params)).not.toThrow();
    expect(signature).toBeDefined();
  });

  it.each([
    [{}, NOW + 3600],
    [{ expiresIn: 600 }, NOW + 600],
    [{ expires: NOW + 5 }, NOW + 5],
    [{ expires: NOW + 5, expiresIn: 600 }, NOW + 5],
  ])('signs %o with the expiry %d', async (lifetime, end) => {
    const link = await signUrl({}, { service: SERVICE, secret: SECRET, ...lifetime });

    expect(paramsOf(link).get('expires')).toBe(`${end}`);
    expect(() => verify(paramsOf(link))).not.toThrow();
  });

  it.each(['https://captures.example.com/shots', 'https://captures.example.com/shots/'])(
    'keeps the path of %s',
    async (service) => {
      const link = new URL(await signUrl({}, { service, secret: SECRET }));

      expect(`${link.origin}${link.pathname}`).toBe('https://captures.example.com/shots/capture');
    },
  );

  it.each([
    ['an empty secret', {}, { secret: '' }, /secret is empty/],
    ['half a second', {}, { expiresIn: 0.5 }, /whole numbers/],
    ['a time in the past', {}, { expires: -1 }, /whole numbers/],
    ['another scheme', {}, { service: 'ftp://example.com' }, /not the address of a service/],
    ['a URL that hides a field', { url: 'https://a.example/?x=1&window_width=9' }, {}, /contains "&window_width="/],
    ['the key of another interface', { url: 'https://a.example/?x=1&access_key=a' }, {}, /contains "&access_key="/],
    ['text that hides the end of the link', { block_media: 'true&expires=9' }, {}, /contains "&expires="/],
  ])('refuses %s', async (_case, fields: object, options, message) => {
    await expect(signUrl(fields, { service: SERVICE, secret: SECRET, ...options })).rejects.toThrow(message);
  });
});

function paramsOf(link: string): Map<string, string> {
  return new Map(new URL(link).searchParams);
}

function verify(params: ReadonlyMap<string, string>): void {
  verifySignature({ params, secrets: [SECRET], nowSeconds: NOW, knownFields: FIELD_NAMES });
}
