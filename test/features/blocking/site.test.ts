import { describe, expect, it } from 'vitest';
import { loadSites } from '../../../src/features/blocking/by-host.ts';

const siteOf = await loadSites();

describe('the site of a host', () => {
  it.each([
    ['www.example.com', 'example.com'],
    ['a.b.example.co.uk', 'example.co.uk'],
    ['one.github.io', 'one.github.io'],
    ['deep.one.github.io', 'one.github.io'],
    ['bucket.s3.amazonaws.com', 'bucket.s3.amazonaws.com'],
    ['doubleclick.net.evil.example', 'evil.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['co.uk', 'co.uk'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('of %s is %s', (host, expected) => {
    expect(siteOf(host)).toBe(expected);
  });

  it.each(['', '.', '...', '*', 'a b', '-', '☃'])('is defined for an invalid name: %j', (host) => {
    expect(siteOf(host)).toBeTypeOf('string');
  });
});
