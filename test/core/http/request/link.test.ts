import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/core/ground/errors.ts';
import { createKnownLinks, parseQuery } from '../../../../src/core/http/request/link.ts';

describe('parseQuery', () => {
  it.each<[target: string, expected: Record<string, string>]>([
    ['/capture', {}],
    ['/capture?', {}],
    ['/capture?a=1&b=2', { a: '1', b: '2' }],
    ['/capture?a=1&a=2', { a: '1' }],
    ['/capture?&&a=1&', { a: '1' }],
    ['/capture?a', { a: '' }],
    ['/capture?a=', { a: '' }],
    ['/capture?a=b=c', { a: 'b=c' }],
    ['/capture?a=1+2%2B3', { a: '1 2+3' }],
    ['/capture?%61=%F0%9F%98%80', { a: '\u{1F600}' }],
    ['/capture?a=http://b/?c=d', { a: 'http://b/?c=d' }],
    ['/capture?a[b]=1&c[]=2', { 'a[b]': '1', 'c[]': '2' }],
  ])('parses %s', (target, expected) => {
    expect(Object.fromEntries(parseQuery(target))).toEqual(expected);
  });

  it('accepts prototype property names as parameter names', () => {
    expect([...parseQuery('/?__proto__=1&constructor=2')]).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  it.each(['%FF', '%C0%80', '%', '%2', '%zz', '%ED%A0%80'])('refuses the escape %s, in name and value', (escape) => {
    const refused = expect.objectContaining({ type: 'ValidationError' });

    expect(thrownBy(`/?a=${escape}`)).toEqual(refused);
    expect(thrownBy(`/?${escape}=a`)).toEqual(refused);
  });

  it('accepts 200 parameters and no more', () => {
    expect(parseQuery(`/?${'a=1&'.repeat(199)}a=1`).size).toBe(1);
    expect(thrownBy(`/?${'a=1&'.repeat(200)}a=1`)).toMatchObject({
      details: 'The query may have at most 200 parameters',
    });
  });
});

function thrownBy(target: string): unknown {
  try {
    parseQuery(target);
  } catch (error) {
    return error instanceof ServiceError ? error : undefined;
  }
  return undefined;
}

describe('createKnownLinks', () => {
  it('returns the same object for the same text, and a different one for other text', () => {
    const linkOf = createKnownLinks();

    const first = linkOf('/capture?a=1&b=2');

    expect(linkOf('/capture?a=1&b=2')).toBe(first);
    expect(linkOf('/capture?b=2&a=1')).not.toBe(first);
    expect(first).toEqual({ query: parseQuery('/capture?a=1&b=2') });
  });

  it('evicts the least recently used link, and stores no long ones', () => {
    const linkOf = createKnownLinks();
    const [first, long] = [linkOf('/?first'), linkOf(`/?${'x'.repeat(8_192)}`)];

    expect(linkOf(`/?${'x'.repeat(8_192)}`)).not.toBe(long);
    expect(linkOf('/?first')).toBe(first);
    for (let index = 0; index < 2_000; index++) linkOf(`/?${index}`);
    expect(linkOf('/?first')).not.toBe(first);
  });
});
