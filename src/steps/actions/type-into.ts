import { focusField } from './in-page/focus-field.ts';
import { setValue } from './in-page/set-value.ts';
import { ActionFailure } from './action-failure.ts';
import { untilActionable } from './actionable.ts';
import { pressKeys, typeText } from './keyboard.ts';
import { parseKeys } from './keyboard-keys.ts';
import { clickOn } from './mouse.ts';
import type { Stage } from './stage.ts';

interface Typing {
  readonly selector?: string | undefined;
  readonly text: string;
  readonly clear: boolean;
}

const FIELD = { use: true, text: true } as const;
const BACKSPACE = parseKeys('Backspace');
const SELECT_ALL = parseKeys('Control+A');

/**
 * Clicks a field and types after its content, or replaces it. Without a selector, types into the focused element.
 * @throws ActionFailure if the element takes no text, or not this text
 */
export async function typeInto(stage: Stage, { selector, text, clear }: Typing): Promise<void> {
  const { page } = stage;
  if (selector === undefined) {
    if (clear && SELECT_ALL !== undefined) await pressKeys(page, SELECT_ALL);
  } else {
    const { handle } = await untilActionable(stage, selector, FIELD);
    const set = await page.callOn(handle, setValue, text);
    if (set?.isTaken === true) return;
    if (set !== undefined)
      throw new ActionFailure(`${selector} is a ${set.kind} field: text must be a valid value for it`);
    const clicked = await clickOn(stage, selector, FIELD);
    if (!(await page.callOn(clicked.handle, focusField, clear))) throw new ActionFailure(`${selector} accepts no text`);
  }
  if (clear && BACKSPACE !== undefined) await pressKeys(page, BACKSPACE);
  await typeText(page, text);
}
