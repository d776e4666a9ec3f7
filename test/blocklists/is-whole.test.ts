import { describe, expect, it } from 'vitest';
import { isWhole } from '../../src/blocklists/is-whole.ts';

describe('isWhole', () => {
  it.each(['.ad', 'a[href^="/x]{"]', 'div:not(.a, [b])', '.a\\(', "[a='\\'']", 'display: none !important'])(
    'is true for %s',
    (text) => {
      expect(isWhole(text)).toBe(true);
    },
  );

  it.each(['div:x(', '[a', '.a)', '[a="b]', '(]', '.a { color: red', '.a } .b', '.a /* b', '.a\\'])(
    'is false for %s',
    (text) => {
      expect(isWhole(text)).toBe(false);
    },
  );
});
