/** A key as the protocol describes it. */
export interface KeyboardKey {
  /** `KeyboardEvent.key`. */
  readonly key: string;
  /** `KeyboardEvent.code`: position of the key on the keyboard. */
  readonly code: string;
  readonly keyCode: number;
  /** Text that the key types. Undefined if it types nothing. */
  readonly text?: string;
  /** True if the key needs Shift. */
  readonly isShifted: boolean;
}

/** Protocol bits of the modifiers. */
export const MODIFIERS = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const;
type Modifier = keyof typeof MODIFIERS;

export interface KeyCombination {
  readonly modifiers: readonly Modifier[];
  readonly key: KeyboardKey;
}

/** Named keys and their Windows key codes. */
const NAMED_KEYS = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  Backspace: 8,
  Delete: 46,
  Insert: 45,
  Space: 32,
  Home: 36,
  End: 35,
  PageUp: 33,
  PageDown: 34,
  ArrowUp: 38,
  ArrowDown: 40,
  ArrowLeft: 37,
  ArrowRight: 39,
} as const;
/** Enter submits a form only with this text. */
const TEXT_OF_NAMED: Readonly<Record<string, string>> = { Enter: '\r', Space: ' ' };

/** Punctuation keys of a US keyboard: the characters without and with Shift, the position, and the key code. */
const PUNCTUATION: readonly (readonly [both: string, code: string, keyCode: number])[] = [
  [';:', 'Semicolon', 186],
  ['=+', 'Equal', 187],
  [',<', 'Comma', 188],
  ['-_', 'Minus', 189],
  ['.>', 'Period', 190],
  ['/?', 'Slash', 191],
  ['`~', 'Backquote', 192],
  ['[{', 'BracketLeft', 219],
  ['\\|', 'Backslash', 220],
  [']}', 'BracketRight', 221],
  [`'"`, 'Quote', 222],
];
const ABOVE_DIGITS = ')!@#$%^&*(';

const KEYS: ReadonlyMap<string, KeyboardKey> = new Map(
  [...namedKeys(), ...letters(), ...digits(), ...punctuation()].map(([name, key]) => [name, key]),
);

/** Accepted keys of `press`, in words for the client. */
export const KEY_FORM = `${Object.keys(NAMED_KEYS).join(', ')}, F1 to F12 or a character of a US keyboard, after any of ${Object.keys(
  MODIFIERS,
)
  .map((name) => `${name}+`)
  .join(' ')}`;

/** Returns the key that types a character on a US keyboard. Undefined if there is none. A line break is Enter. */
export function keyOfCharacter(character: string): KeyboardKey | undefined {
  if (character === '\n') return KEYS.get('Enter');
  if (character === '\t') return KEYS.get('Tab');
  return character.length === 1 ? KEYS.get(character) : undefined;
}

/** Parses a combination such as `Control+Shift+A`. Undefined if it is no key. */
export function parseKeys(text: string): KeyCombination | undefined {
  const names = /^((?:(?:Alt|Control|Meta|Shift)\+)*)(.+)$/s.exec(text);
  const [, before = '', name = ''] = names ?? [];
  const modifiers = new Set(
    Object.keys(MODIFIERS)
      .filter(isModifier)
      .filter((each) => before.includes(`${each}+`)),
  );
  const key = KEYS.get(modifiers.has('Shift') ? name.toUpperCase() : name) ?? KEYS.get(name);
  if (key === undefined) return undefined;
  if (key.isShifted && !modifiers.has('Shift') && modifiers.size > 0) {
    // Accepts Control+A for the key that a keyboard sends as Control and a.
    return { modifiers: [...modifiers], key: KEYS.get(name.toLowerCase()) ?? key };
  }
  return { modifiers: [...modifiers], key };
}

function isModifier(name: string): name is Modifier {
  return Object.hasOwn(MODIFIERS, name);
}

type Named = readonly [name: string, key: KeyboardKey];

function namedKeys(): Named[] {
  const functionKeys = Array.from({ length: 12 }, (_, index): [string, number] => [`F${index + 1}`, 112 + index]);
  return [...Object.entries(NAMED_KEYS), ...functionKeys].flatMap(([name, keyCode]) => {
    const text = TEXT_OF_NAMED[name];
    const key = { key: name, code: name, keyCode, isShifted: false, ...(text !== undefined && { text }) };
    if (name !== 'Space') return [[name, key]];
    const space = { ...key, key: ' ' };
    return [
      [name, space],
      [' ', space],
    ];
  });
}

function letters(): Named[] {
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
    .split('')
    .flatMap((upper) => pair(`${upper.toLowerCase()}${upper}`, `Key${upper}`, upper.charCodeAt(0)));
}

function digits(): Named[] {
  return ABOVE_DIGITS.split('').flatMap((above, digit) =>
    pair(`${digit}${above}`, `Digit${digit}`, '0'.charCodeAt(0) + digit),
  );
}

function punctuation(): Named[] {
  return PUNCTUATION.flatMap(([both, code, keyCode]) => pair(both, code, keyCode));
}

/** A key without and with Shift. */
function pair(both: string, code: string, keyCode: number): Named[] {
  return both.split('').map((text, index) => [text, { key: text, text, code, keyCode, isShifted: index === 1 }]);
}
