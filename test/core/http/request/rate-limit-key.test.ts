import { describe, expect, it } from 'vitest';
import { rateLimitKey } from '../../../../src/core/http/request/rate-limit-key.ts';

describe('rateLimitKey', () => {
  it.each<readonly string[]>([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]:4711', rateLimitKey('2001:db8::1')],
    ['2001:db8:0:ff::2', rateLimitKey('2001:db8::1')],
    ['[2001:db8::1]', rateLimitKey('2001:db8::1')],
    ['2001:0DB8:0:0::1%eth0', rateLimitKey('2001:db8::1')],
    ['[2001:db8::1%25eth0]:1', rateLimitKey('2001:db8::1')],
    ...[
      '::ffff:192.0.2.1',
      '::FFFF:C000:0201',
      '0:0:0:0:0:ffff:192.0.2.1',
      '[::ffff:c000:201]',
      '[::ffff:192.0.2.1]:80',
      '64:ff9b::c000:201',
      '2002:c000:201::1',
      '2002:c000:201:ff00::9',
      '::ffff:0:192.0.2.1',
    ].map((spelling) => [spelling, '192.0.2.1']),
  ])('identifies the client by %s', (given, expected) => {
    expect(rateLimitKey(given)).toBe(expected);
  });

  it('distinguishes clients whose addresses a proxy reports with ports', () => {
    expect(rateLimitKey('192.0.2.1:1')).not.toBe(rateLimitKey('192.0.2.2:1'));
  });

  it.each([
    undefined,
    '',
    'unknown',
    '192.0.2.1:port',
    '192.0.2.1:123456',
    '300.0.0.1:80',
    '192.0.2.1.',
    '0300.0.2.1',
    '3221225985',

    '%eth0',
  ])('returns one key for an invalid address: %s', (given) => {
    expect(rateLimitKey(given)).toBe('no address');
  });
});
