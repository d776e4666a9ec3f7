import type { Page } from '../../core/browser/page/page.ts';
import { type KeyboardKey, type KeyCombination, keyOfCharacter, MODIFIERS } from './keyboard-keys.ts';
import { untilTaken } from './stage.ts';

/** Number of keys to send before waiting for answers. One key at a time would wait for the page each time. */
const KEYS_AT_ONCE = 100;
/** Longer texts are pasted except for the last character: typing 10,000 keys takes 9 s (2026-11-22). */
const MAX_KEYS = 500;

/** Presses the modifiers and the key, then releases all. */
export async function pressKeys(page: Page, { modifiers, key }: KeyCombination): Promise<void> {
  const held = modifiers.map((name) => ({ key: name, code: `${name}Left`, keyCode: 0, isShifted: false }));
  const bits = modifiers.reduce((sum, name) => sum | MODIFIERS[name], 0);
  await untilTaken(page, [
    ...held.map((each) => down(page, each, bits)),
    down(page, key, bits),
    up(page, key, bits),
    ...held.toReversed().map((each) => up(page, each, 0)),
  ]);
}

/**
 * Types text. Characters of a US keyboard are sent as key events; other characters are inserted, as by an input method.
 * The browser keeps key events in order, but it does not order them with inserted text. So an insertion waits until the
 * earlier keys have arrived.
 */
export async function typeText(page: Page, text: string): Promise<void> {
  let sent: Promise<unknown>[] = [];
  const arrive = async (): Promise<void> => {
    await untilTaken(page, sent);
    sent = [];
  };
  for (const piece of pieces(text.replaceAll(/\r\n?/g, '\n'))) {
    if (typeof piece === 'string') {
      await arrive();
      await untilTaken(page, [page.send('Input.insertText', { text: piece })]);
      continue;
    }
    const bits = piece.isShifted ? MODIFIERS.Shift : 0;
    sent.push(down(page, piece, bits), up(page, piece, bits));
    if (sent.length >= 2 * KEYS_AT_ONCE || piece.key === 'Enter') await arrive();
  }
  await arrive();
}

/** Splits text into keys and into text without keys. */
function pieces(text: string): (KeyboardKey | string)[] {
  const characters = Array.from(text);
  const pasted = characters.length > MAX_KEYS ? characters.splice(0, characters.length - 1).join('') : '';
  const found: (KeyboardKey | string)[] = pasted === '' ? [] : [pasted];
  for (const character of characters) {
    const key = keyOfCharacter(character);
    const last = found.at(-1);
    if (key !== undefined) found.push(key);
    else if (typeof last === 'string') found.splice(-1, 1, last + character);
    else found.push(character);
  }
  return found;
}

function down(page: Page, { key, code, keyCode, text }: KeyboardKey, modifiers: number): Promise<unknown> {
  const writes = text !== undefined && (modifiers & ~MODIFIERS.Shift) === 0;
  return page.send('Input.dispatchKeyEvent', {
    type: writes ? 'keyDown' : 'rawKeyDown',
    key,
    code,
    windowsVirtualKeyCode: keyCode,
    modifiers,
    ...(writes && { text, unmodifiedText: text }),
  });
}

function up(page: Page, { key, code, keyCode }: KeyboardKey, modifiers: number): Promise<unknown> {
  return page.send('Input.dispatchKeyEvent', {
    type: 'keyUp',
    key,
    code,
    windowsVirtualKeyCode: keyCode,
    modifiers,
  });
}
