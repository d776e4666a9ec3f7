import { describe, expect, it } from 'vitest';
import { escapeValue, toSafeUrl, toScriptJson } from '../../../../src/parts/templates/rendering/escape.ts';

describe('escapeValue', () => {
  it('keeps letters of all scripts and encodes all else as references', () => {
    expect(escapeValue('Zoë 日本 #fff 50% 1.5,-_')).toBe('Zoë&#32;日本&#32;#fff&#32;50%&#32;1.5,-_');
    expect(escapeValue(`<a b="c" d='e'>&\`\${}\\;:/\n\u2028\u2029`)).not.toMatch(/[^A-Za-z0-9&#;]/);
  });

  it.each([
    [undefined, ''],
    [null, ''],
    [0, '0'],
    [false, 'false'],
    [['a', ['b', 1]], 'ab1'],
    [{ a: '<' }, '&#123;&#34;a&#34;&#58;&#34;&#60;&#34;&#125;'],
    ['\ud800', '\ufffd'],
  ])('shows %j', (value, text) => {
    expect(escapeValue(value)).toBe(text);
  });
});

describe('toSafeUrl', () => {
  it.each(['https://a.example/?b=c', 'http://a/', 'mailto:a@b.example', 'tel:1', 'picture.png', '#top', '//a/b'])(
    'keeps %s',
    (address) => {
      expect(toSafeUrl(address)).toBe(address);
    },
  );

  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:a',
    'blob:https://a/b',
    'file:///etc/passwd',
    'http://[',
  ])('replaces %j', (address) => {
    expect(toSafeUrl(address)).toBe('about:blank');
  });
});

describe('toScriptJson', () => {
  it.each(['</script><script>alert(1)</script>', '<!--<script>', 'a\'b\\"c`${d}', '\u2028', 'é & <'])(
    'is JSON of the value that can not end the script: %j',
    (value) => {
      const json = toScriptJson({ value });

      expect(JSON.parse(json)).toEqual({ value });
      expect(json).not.toMatch(/[<>&'`\u2028\u2029]/);
    },
  );

  it('is null for a missing value', () => {
    expect(toScriptJson(undefined)).toBe('null');
  });
});
