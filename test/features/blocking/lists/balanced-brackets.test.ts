import { describe, expect, it } from 'vitest';
import { hasBalancedBrackets } from '../../../../src/features/blocking/lists/parse-lists.ts';

describe('hasBalancedBrackets', () => {
  it.each(['.ad', 'a[href^="/x]{"]', 'div:not(.a, [b])', '.a\\(', "[a='\\'']", 'display: none !important'])(
    'is true for %s',
    (text) => {
      expect(hasBalancedBrackets(text)).toBe(true);
    },
  );

  it.each(['div:x(', '[a', '.a)', '[a="b]', '(]', '.a { color: red', '.a } .b', '.a /* b', '.a\\'])(
    'is false for %s',
    (text) => {
      expect(hasBalancedBrackets(text)).toBe(false);
    },
  );
});
