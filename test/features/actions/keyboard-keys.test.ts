import { describe, expect, it } from 'vitest';
import { keyOfCharacter, parseKeys } from '../../../src/features/actions/keyboard-keys.ts';

describe('parseKeys', () => {
  it.each([
    ['Enter', [], { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' }],
    ['Escape', [], { key: 'Escape', keyCode: 27 }],
    ['F12', [], { key: 'F12', keyCode: 123 }],
    ['Space', [], { key: ' ', code: 'Space', keyCode: 32, text: ' ' }],
    ['a', [], { key: 'a', code: 'KeyA', keyCode: 65, text: 'a' }],
    ['A', [], { key: 'A', code: 'KeyA', keyCode: 65, isShifted: true }],
    ['+', [], { key: '+', code: 'Equal', keyCode: 187 }],
    ['Shift+Tab', ['Shift'], { key: 'Tab', keyCode: 9 }],
    ['Shift+a', ['Shift'], { key: 'A', code: 'KeyA' }],
    ['Control+A', ['Control'], { key: 'a', code: 'KeyA', keyCode: 65 }],
    ['Control+a', ['Control'], { key: 'a' }],
    ['Control+Shift+K', ['Control', 'Shift'], { key: 'K' }],
    ['Control++', ['Control'], { key: '+' }],
    ['Meta+Alt+ArrowUp', ['Alt', 'Meta'], { key: 'ArrowUp' }],
  ])('accepts %s', (text, modifiers, key) => {
    expect(parseKeys(text)).toMatchObject({ modifiers, key });
  });

  it.each(['', 'Return', 'enter', 'F13', 'ab', 'é', 'Control', 'Control+', 'Ctrl+A', 'A+B', 'constructor'])(
    'refuses %j',
    (text) => {
      expect(parseKeys(text)).toBeUndefined();
    },
  );
});

describe('keyOfCharacter', () => {
  it('has a key for every visible ASCII character, each with its own text', () => {
    const visible = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

    expect(visible.map((character) => keyOfCharacter(character)?.text)).toEqual(visible);
  });

  it('maps a line break to Enter, and no other character to a named key', () => {
    expect(keyOfCharacter('\n')).toMatchObject({ key: 'Enter' });
    expect(['é', '字', '😀', 'Enter'].map((character) => keyOfCharacter(character))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
