import { describe, expect, it } from 'vitest';
import { addressKey } from '../../../src/http/request/client-name.ts';

describe('addressKey', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::1]:4711', addressKey('2001:db8::1')],
    ['2001:db8:0:ff::2', addressKey('2001:db8::1')],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ])('knows the client by %s', (given, expected) => {
    expect(addressKey(given)).toBe(expected);
  });

  it('tells clients apart that a proxy names with their ports', () => {
    expect(addressKey('192.0.2.1:1')).not.toBe(addressKey('192.0.2.2:1'));
  });

  it.each([undefined, '', 'unknown', '192.0.2.1:port', '192.0.2.1:123456', '300.0.0.1:80'])(
    'has one key for what is no address: %s',
    (given) => {
      expect(addressKey(given)).toBe('no address');
    },
  );
});
