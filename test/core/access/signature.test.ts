import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sign, signedQuery, verifySignature } from '../../../src/core/access/signature.ts';
import { stringToSign } from '../../../src/core/access/signed-text.ts';
import { ServiceError } from '../../../src/core/ground/errors.ts';
import vectorFile from './signature-vectors.json' with { type: 'json' };

const SECRET = 's3cret-signing-key';
const NOW = 1_800_000_000;
const FIELDS = ['block_media', 'format', 'full_page', 'url', 'wait_for_timeout', 'window_width'];

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly params: Readonly<Record<string, string>>;
  readonly string_to_sign: string;
  readonly signature: string;
  readonly query: string;
}

const vectors: readonly Vector[] = vectorFile.vectors.map((vector) => ({
  ...vector,
  // The inferred type of the file gives each vector the parameters of all others, as undefined.
  params: Object.fromEntries(Object.entries(vector.params).map(([name, value]) => [name, String(value)])),
}));

describe('the vectors of an independent implementation', () => {
  it.each(vectors)('$name', ({ secret, params, string_to_sign, signature, query }) => {
    const given = new Map(Object.entries(params));
    const parsed = new Map(new URLSearchParams(query));

    expect(stringToSign(given)).toBe(string_to_sign);
    expect(sign(given, secret)).toBe(signature);
    expect(signedQuery(given, secret)).toBe(query);
    expect(parsed).toEqual(new Map([...given, ['signature', signature]]));
    expect(failureOf(parsed, { secret })).toBeUndefined();
  });
});

describe('the names of a forged link', () => {
  // 199 names of 315 characters took 27 ms for each link, before any limit.
  it.each([
    ['a long name', [`x${'y'.repeat(64)}`], /^"xy{63}": is not a known field$/],
    ['many unknown names', Array.from({ length: 9 }, (_, index) => `x${index}`), /^"x0": is not a known field$/],
  ])('are refused before an HMAC is computed: %s', (_what, names, details) => {
    const params = new Map(['url', ...names].map((name) => [name, '1']));
    const signed = new Map([...params, ['signature', sign(params, SECRET)]]);

    expect(failureOf(signed, { secret: SECRET })).toMatchObject({
      type: 'InvalidSignatureError',
      details: expect.stringMatching(details),
    });
  });
});

describe('verifySignature', () => {
  const invalid = { type: 'InvalidSignatureError', status: 403, message: 'Invalid signature' };
  const missing = { type: 'InvalidSignatureError', status: 403, message: 'Missing signature' };
  const expired = { type: 'SignatureExpiredError', status: 403, message: 'Signature has expired' };
  const url = 'https://example.com/';
  const good = sign(new Map([['url', url]]), SECRET);

  it.each([
    ['an absent signature', { url }, missing],
    ['an empty signature', { url, signature: '' }, missing],
    ['an empty signature of an expired link', { url, expires: '1', signature: '' }, missing],
    ['a wrong signature', { url, signature: sign(new Map([['url', `${url}x`]]), SECRET) }, invalid],
    ['a short signature', { url, signature: 'x' }, invalid],
    ['a long signature', { url, signature: 'x'.repeat(5_000) }, invalid],
    ['a signature outside ASCII', { url, signature: '\u{1F600}'.repeat(43) }, invalid],
    ['a signature with padding', { url, signature: `${good}=` }, invalid],
    ['a signature of the same text by another key', { url, signature: sign(new Map([['url', url]]), 'x') }, invalid],
    ['an added parameter', { url, format: 'pdf', signature: good }, invalid],
    ['an expired link with a valid signature', signed({ url, expires: String(NOW - 1) }), expired],
    ['an expired link with a wrong signature', { url, expires: String(NOW - 1), signature: 'x' }, expired],
    ['an empty expires', signed({ url, expires: '' }), invalid],
    ['an expires with a sign', signed({ url, expires: '+9999999999' }), invalid],
    ['an expires with a fraction', signed({ url, expires: '9999999999.5' }), invalid],
    ['an expires with an exponent', signed({ url, expires: '9e9' }), invalid],
    ['an expires with a space', signed({ url, expires: ' 9999999999' }), invalid],
    ['an expires in hex', signed({ url, expires: '0xffffffffff' }), invalid],
    ['an expires in other digits', signed({ url, expires: '٩٩٩٩٩٩٩٩٩٩' }), invalid],
  ])('refuses %s', (_name, params, expected) => {
    expect(failureOf(new Map(Object.entries(params)))).toMatchObject(expected);
  });

  it.each([
    ['in the second it expires', { url, expires: String(NOW) }],
    ['without expires', { url }],
    ['without capture parameters', { expires: String(NOW + 1) }],
  ])('accepts a link %s', (_name, params) => {
    expect(failureOf(new Map(Object.entries(signed(params))))).toBeUndefined();
  });

  it.each([undefined, ''])('refuses every signature if the secret is %j', (secret) => {
    expect(failureOf(new Map(Object.entries(signed({ url }))), { secret })).toMatchObject(invalid);
    // HMAC of "url=https://example.com/" with the empty key, computed by an independent implementation.
    const byEmptyKey = 'jSW_94MLCwIzjtMGLHXKFi8ZXp1ytOg5HpDd01SmfMY';
    expect(
      failureOf(
        new Map([
          ['url', url],
          ['signature', byEmptyKey],
        ]),
        { secret },
      ),
    ).toMatchObject(invalid);
  });

  it.each([
    ['a later field in the target', { url: 'https://a.test/?x=1&window_width=9' }, /"url".*"&window_width=".*%26/],
    ['expires in an earlier field', { block_media: 'true&expires=9999999999' }, /"block_media".*"&expires="/],
    ['key in an earlier field', { html_content: 'x&key=shop' }, /"html_content".*"&key="/],
    ['the key of a link of ScreenshotOne', { url: 'https://a.test/?x=1&access_key=default' }, /"url".*"&access_key="/],
    ['it in a field that sorts first', { block_media: 'x&access_key=default&url=y' }, /"block_media".*"&access_key="/],
    ['it as a parameter', { access_key: 'default', url }, /"access_key" is not a known field/],
    ['a name that swallowed expires', { [`expires=${NOW - 9}&url`]: url }, /parameter name/],
  ])('refuses a well-signed but ambiguous link: %s', (_name, params, details) => {
    const failure = failureOf(new Map(Object.entries(signed(params))));

    expect(failure).toMatchObject({ type: 'ValidationError', status: 400 });
    expect(failure?.details).toMatch(details);
  });

  it.each([
    ['a field that sorts before the parameter', { url: 'https://a.test/?x=1&format=png' }],
    ['its own name', { url: 'https://a.test/?x=1&url=b' }],
    ['a name of no field', { url: 'https://a.test/?x=1&zoom=2' }],
    ['a percent-encoded field', { url: 'https://a.test/?x=1%26window_width=9' }],
    ['a field without "&"', { url: 'https://a.test/?window_width=9' }],
  ])('accepts a value with %s', (_name, params) => {
    expect(failureOf(new Map(Object.entries(signed(params))))).toBeUndefined();
  });

  it('reports nothing about the parameters of a link with an invalid signature', () => {
    const params = new Map([
      ['url', 'https://a.test/?x=1&window_width=9'],
      ['signature', good],
    ]);

    expect(failureOf(params)).toMatchObject(invalid);
  });
});

describe('stringToSign', () => {
  it('sorts names by code point, not by UTF-16 unit', () => {
    const params = new Map([
      ['\u{1F600}', '1'],
      ['\u{FF5E}', '2'],
      ['a', '3'],
      ['B', '4'],
      ['aa', '5'],
      ['', '6'],
    ]);

    expect(stringToSign(params)).toBe('=6&B=4&a=3&aa=5&\u{FF5E}=2&\u{1F600}=1');
  });
});

describe('signedQuery', () => {
  it('replaces an existing signature', () => {
    const params = new Map([
      ['signature', 'old'],
      ['url', 'x'],
    ]);

    expect(signedQuery(params, SECRET)).toBe(`url=x&signature=${sign(params, SECRET)}`);
  });
});

describe('sign', () => {
  const params = fc
    .uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), {
      selector: ([name]) => name,
      minLength: 1,
    })
    .filter((entries) => entries.every(([name]) => name !== 'signature'));

  it('refuses an empty secret', () => {
    expect(() => sign(new Map([['url', 'x']]), '')).toThrow('must not be empty');
  });

  it('does not depend on the order of the parameters, nor on an existing signature', () => {
    const shuffled = params.chain((entries) =>
      fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.string(), ([entries, others], signature) => {
        expect(sign(new Map([['signature', signature], ...others]), SECRET)).toBe(sign(new Map(entries), SECRET));
      }),
    );
  });

  it('changes with any value', () => {
    const changed = params.chain((entries) =>
      fc.tuple(fc.constant(entries), fc.nat(entries.length - 1), fc.string({ unit: 'binary' })),
    );
    fc.assert(
      fc.property(changed, ([entries, index, value]) => {
        fc.pre(entries[index]?.[1] !== value);
        const other = entries.map(([name, old], at): [string, string] => [name, at === index ? value : old]);

        expect(sign(new Map(other), SECRET)).not.toBe(sign(new Map(entries), SECRET));
      }),
    );
  });

  it('is 43 characters of URL-safe base64 and survives the query string', () => {
    fc.assert(
      fc.property(params, (entries) => {
        const parsed = new Map(new URLSearchParams(signedQuery(new Map(entries), SECRET)));

        expect(parsed.get('signature')).toMatch(/^[\w-]{43}$/);
        expect(parsed.get('signature')).toBe(sign(parsed, SECRET));
      }),
    );
  });
});

function signed(params: Readonly<Record<string, string>>): Record<string, string> {
  return { ...params, signature: sign(new Map(Object.entries(params)), SECRET) };
}

/** Returns the error that verifySignature throws, or undefined. */
function failureOf(
  params: ReadonlyMap<string, string>,
  { secret }: { readonly secret: string | undefined } = { secret: SECRET },
): ServiceError | undefined {
  try {
    verifySignature({
      params,
      secrets: secret === undefined ? [] : [secret],
      nowSeconds: NOW,
      knownFields: FIELDS,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
