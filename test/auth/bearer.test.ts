import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createBearerCheck } from '../../src/auth/bearer.ts';

const TOKEN = 'd3adb33f'.repeat(8);

describe('createBearerCheck', () => {
  it.each([
    ['the token', `Bearer ${TOKEN}`],
    ['the scheme in lower case', `bearer ${TOKEN}`],
    ['more than one space before the token', `Bearer   ${TOKEN}`],
  ])('accepts %s', (_name, header) => {
    expect(createBearerCheck(TOKEN)(header)).toBe(true);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['the token alone', TOKEN],
    ['another scheme', `Basic ${TOKEN}`],
    ['a scheme that ends in Bearer', `NotBearer ${TOKEN}`],
    ['a shorter token', `Bearer ${TOKEN.slice(1)}`],
    ['a longer token', `Bearer ${TOKEN}0`],
    ['the token in another case', `Bearer ${TOKEN.toUpperCase()}`],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
    ['a list of credentials', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
  ])('refuses %s', (_name, header) => {
    expect(createBearerCheck(TOKEN)(header)).toBe(false);
  });

  it('refuses every header if the token is empty', () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Bearer x']) {
      expect(createBearerCheck('')(header)).toBe(false);
    }
  });

  it('accepts a token if and only if it is equal', () => {
    const token = fc.stringMatching(/^[\x21-\x7e]{1,80}$/);
    fc.assert(
      fc.property(token, token, (given, expected) => {
        expect(createBearerCheck(expected)(`Bearer ${given}`)).toBe(given === expected);
        expect(createBearerCheck(expected)(`Bearer ${expected}`)).toBe(true);
      }),
    );
  });
});
