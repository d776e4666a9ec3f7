import { describe, expect, it } from 'vitest';
import { oneRuleEach } from '../../../../src/features/blocking/lists/list-engine.ts';

describe('oneRuleEach', () => {
  it('gives each selector the declarations of its rule', () => {
    const styles = '.a,\n.b, .c,\n[d="{"] { display: none !important; }\n\n.e { color: red }';

    expect(oneRuleEach(styles).split('\n')).toEqual([
      '.a { display: none !important; }',
      '.b, .c { display: none !important; }',
      '[d="{"] { display: none !important; }',
      '.e { color: red }',
    ]);
  });

  it('is empty without a rule', () => {
    expect(oneRuleEach('')).toBe('');
  });
});
