import { describe, expect, it } from 'vitest';
import { createMask } from '../../../src/features/data/secrets.ts';

describe('createMask', () => {
  const mask = createMask({
    http_auth: { username: 'reader', password: 'p4ss word' },
    cookies: [{ value: 'cookie-value' }, { value: '1' }],
    custom_headers: { 'X-Key': 'header"value', Authorization: 'Bearer abcdef' },
  });

  it.each([
    ['a password', 'it is p4ss word here', 'it is *** here'],
    ['a password in an address', 'http://a.test/?q=p4ss%20word', 'http://a.test/?q=***'],
    ['credentials in header form', 'cmVhZGVyOnA0c3Mgd29yZA==', '***'],
    ['a cookie', 'a=cookie-value; b=1', 'a=***; b=1'],
    ['a header', 'sent header"value', 'sent ***'],
    ['a header in JSON', String.raw`{"k":"header\"value"}`, '{"k":"***"}'],
    ['the token of a header', 'got abcdef', 'got ***'],
    ['a signature', '/capture?url=x&signature=Zm9v&b=1', '/capture?url=x&signature=***&b=1'],
    ['a token in a fragment', 'http://a.test/#access_token=abc&x=1', 'http://a.test/#access_token=***&x=1'],
    ['a long name', 'http://a.test/?X-Amz-Security-Token=abc', 'http://a.test/?X-Amz-Security-Token=***'],
    ['a name in brackets', 'http://a.test/?user[password]=abc', 'http://a.test/?user[password]=***'],
    ['a session id', 'http://a.test/?session_id=abc', 'http://a.test/?session_id=***'],
    ['the user name of a URL', 'http://me:word@a.test/', 'http://***@a.test/'],
    ['a password that contains an @', 'http://me:w@rd@a.test/', 'http://***@a.test/'],
    [
      'credentials in a nested URL',
      'http://a.test/?to=https%3A%2F%2Fb.test%2F%3Fid_token%3Dabc%26x%3D1&y=2',
      'http://a.test/?to=https%3A%2F%2Fb.test%2F%3Fid_token%3D***%26x%3D1&y=2',
    ],
    ['a passphrase', 'http://a.test/?user=me&pass=abc&ticket=d', 'http://a.test/?user=me&pass=***&ticket=***'],
    ['a bearer token of another service', 'Authorization: Bearer zyxwvutsr', 'Authorization: Bearer ***'],
  ])('redacts %s', (_what, text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it('redacts the login of the captured URL', () => {
    const ofAddress = createMask({ url: 'http://reader:p%40ss%20word@a.test/' });

    expect(ofAddress('p@ss word, p%40ss%20word and cmVhZGVyOnBAc3Mgd29yZA==')).toBe('***, *** and ***');
  });

  it.each([
    'http://a.test/?page=1&lang=en',
    'http://a.test/?passenger=2&compass_x=1',
    'design=1 signed=2',
    'a code, a key',
  ])('leaves %s', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('shows no part of a secret at the end of a beginning', () => {
    const secret = 'S'.repeat(5_000);
    const { start } = createMask({ cookies: [{ value: secret }] });
    for (const before of [0, 90, 100, 110, 5_000, 5_100, 6_000]) {
      const text = `${'-'.repeat(before)}${`${secret}-`.repeat(5)}`;

      const { text: shown, isCut } = start(text, 100);

      expect(shown).not.toContain('S');
      expect(isCut).toBe(true);
      expect(text.replaceAll(secret, '***').startsWith(shown)).toBe(true);
    }
    expect(start('short', 100)).toEqual({ text: 'short', isCut: false });
  });

  it('takes linear time', () => {
    const before = process.cpuUsage().user;
    for (const unit of [
      '?a',
      '?token',
      '//',
      '//a',
      'basic ',
      '?[',
      '%5b',
      'bearer a.',
      '%3f',
      '?pass%3d',
      '//@',
      '?key=%2',
    ])
      mask(unit.repeat(65_536 / unit.length));

    expect(process.cpuUsage().user - before).toBeLessThan(5e6);
  });
});
