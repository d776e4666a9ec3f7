import { describe, expect, it } from 'vitest';
import { parseKeyFile, readKeyFile } from '../../../src/core/access/key-file.ts';

const HASH = 'a'.repeat(64);
const SECRET = 's'.repeat(32);
const FIELDS = new Set(['url', 'custom_js', 'actions']);

const parseText = (text: string) => parseKeyFile(Buffer.from(text), FIELDS);
const parse = (...keys: readonly object[]) => parseText(JSON.stringify({ keys }));
const SHOP = { id: 'shop', token_sha256: [HASH] };

const keyOf = (n: number) => ({
  ...SHOP,
  id: `key-${n}`,
  token_sha256: [0, 1, 2, 3].map((each) => (n * 4 + each).toString(16).padStart(64, '0')),
  signing_secrets: [0, 1, 2, 3].map((each) => `${n} ${each} `.padEnd(64, '.')),
});

describe('parseKeyFile', () => {
  it('reads every field', () => {
    const [found] = parse({
      ...SHOP,
      token_sha256: [HASH.toUpperCase()],
      signing_secrets: [SECRET],
      scopes: ['capture', 'jobs'],
      rate_limit: '5 per second',
      concurrency: 2,
      quota: { captures: 10_000, per: 'month' },
      templates: ['card'],
      templates_only: true,
      deny_fields: ['custom_js'],
      egress_allow: ['*.shop.example', '192.0.2.0/24'],
      expires_at: '2027-01-01T00:00:00Z',
      disabled: true,
    });

    expect(found).toMatchObject({
      tokenHashes: [HASH],
      isDisabled: true,
      key: {
        id: 'shop',
        scopes: new Set(['capture', 'jobs']),
        signingSecrets: [SECRET],
        rate: { limit: 5, periodMs: 1_000 },
        concurrency: 2,
        quota: { captures: 10_000, per: 'month' },
        templates: ['card'],
        templatesOnly: true,
        deniedFields: new Set(['custom_js']),
        expiresAtMs: Date.UTC(2027, 0, 1),
      },
    });
    expect(found?.key.egressAllow).toHaveLength(2);
  });

  it('needs no more than an id, and a token or a secret', () => {
    const [token, links] = parse(SHOP, { id: 'links', signing_secrets: [SECRET] });

    expect([token, links].map((each) => [...(each?.key.scopes ?? [])])).toEqual([['capture'], ['capture']]);
    expect(token?.key).toMatchObject({ templatesOnly: false, signingSecrets: [] });
    expect(token?.isDisabled).toBe(false);
  });

  it.each([
    [
      'the hash of a word that everyone guesses',
      {
        ...SHOP,
        token_sha256: ['9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08'],
      },
      'keys[0].token_sha256[0]: must not be the hash of a word that everyone guesses',
    ],
    ['no credentials', { id: 'shop' }, 'keys[0]: needs token_sha256 or signing_secrets'],
    ['no id', { token_sha256: [HASH] }, 'keys[0].id: must be 1 to 63 characters of a-z 0-9 _ -'],
    ['an id in capitals', { ...SHOP, id: 'Shop' }, 'keys[0].id: must be'],
    ['the reserved id', { ...SHOP, id: 'default' }, 'keys[0].id: must not be default'],
    ['a token instead of its hash', { ...SHOP, token_sha256: ['secret'] }, 'keys[0].token_sha256[0]: must be'],
    [
      'five tokens',
      { ...SHOP, token_sha256: Array(5).fill(HASH) },
      'keys[0].token_sha256: must be a list of at most 4',
    ],
    ['a short secret', { ...SHOP, signing_secrets: ['short'] }, 'keys[0].signing_secrets[0]: must be'],
    ['an unknown scope', { ...SHOP, scopes: ['all'] }, 'keys[0].scopes[0]: must be one of capture, sign'],
    ['an unknown field', { ...SHOP, scope: 'capture' }, 'keys[0]: has unknown fields: scope'],
    ['a rate of nothing', { ...SHOP, rate_limit: '0 per second' }, 'keys[0].rate_limit: must be "N per second"'],
    ['no concurrency', { ...SHOP, concurrency: 0 }, 'keys[0].concurrency: must be a whole number from 1 to 256'],
    ['a quota per week', { ...SHOP, quota: { captures: 1, per: 'week' } }, 'keys[0].quota.per: must be day or month'],
    ['a misspelt field', { ...SHOP, deny_fields: ['custom_javascript'] }, 'keys[0].deny_fields[0]: must be the name'],
    ['a URL as a destination', { ...SHOP, egress_allow: ['https://a.example/'] }, 'keys[0].egress_allow[0]: must be'],
    ['a day as the end', { ...SHOP, expires_at: '2027-01-01' }, 'keys[0].expires_at: must be a time such as'],
  ])('refuses %s', (_case, key, message) => {
    expect(() => parse(key)).toThrow(message);
  });

  it('refuses two keys with the same id or token', () => {
    expect(() => parse(SHOP, { ...SHOP, token_sha256: ['b'.repeat(64)] })).toThrow(
      'keys[1].id: is the same as in keys[0]',
    );
    expect(() => parse(SHOP, { ...SHOP, id: 'blog' })).toThrow('keys[1].token_sha256: is the same as in keys[0]');
  });

  it('accepts 10,000 keys with four tokens and secrets each, and no more', () => {
    const keys = Array.from({ length: 10_000 }, (_, n) => keyOf(n));

    expect(parseText(JSON.stringify({ keys }, undefined, 2))).toHaveLength(10_000);
    expect(() => parse(...keys, keyOf(10_000))).toThrow('keys: must have at most 10000 keys');
    expect(() => readKeyFile('/dev/zero')).toThrow('the file has more than 33554432 bytes');
  });

  it('refuses what is not such a file, without quoting it', () => {
    expect(() => parseText(`{"keys": [{"signing_secrets": ["${SECRET}"`)).toThrow(/^the file is not valid JSON$/);
    expect(() => parseText('[]')).toThrow('the file: must be a JSON object with the list keys');
    expect(() => parseText('{"keys": {}}')).toThrow('keys: must be a list of keys');
  });
});
