import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readBearer } from '../../../src/core/access/bearer.ts';

const TOKEN = 'd3adb33f'.repeat(8);

describe('readBearer', () => {
  it.each([
    ['the token', `Bearer ${TOKEN}`],
    ['the scheme in lower case', `bearer ${TOKEN}`],
    ['more than one space before the token', `Bearer   ${TOKEN}`],
  ])('reads %s', (_name, header) => {
    expect(readBearer(header)).toBe(TOKEN);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['the token alone', TOKEN],
    ['another scheme', `Basic ${TOKEN}`],
    ['a scheme that ends in Bearer', `NotBearer ${TOKEN}`],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
    ['a list of credentials', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
  ])('reads nothing from %s', (_name, header) => {
    expect(readBearer(header)).toBeUndefined();
  });

  it('reads every token of visible characters unchanged', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x21-\x7e]{1,80}$/), (token) => {
        expect(readBearer(`Bearer ${token}`)).toBe(token);
      }),
    );
  });
});
