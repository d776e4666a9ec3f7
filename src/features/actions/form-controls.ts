import type { Handle } from '../../core/browser/page/evaluate.ts';
import { pickElement } from './in-page/pick-element.ts';
import { setValue, type SwitchState, switchState } from './in-page/set-value.ts';
import { delay } from '../../core/steps/common/waiting.ts';
import { untilActionable } from './actionable.ts';
import { clickOn } from './mouse.ts';
import { ActionFailure, type Stage } from './stage.ts';
import { focusField } from './in-page/focus-field.ts';
import { pressKeys, typeText } from './keyboard.ts';
import { parseKeys } from './keyboard-keys.ts';
import { chooseOptions } from './in-page/choose-options.ts';

/** Maximum number of checks, because a page may need a moment to react to a click. */
const MAX_CHECKS = 20;
const POLL_MS = 50;

interface Switch {
  readonly selector: string;
  readonly checked: boolean;
}

/**
 * Clicks a checkbox, radio button or switch if its state is wrong.
 * @throws ActionFailure for other elements, and if the state does not change
 */
export async function switchTo(stage: Stage, { selector, checked }: Switch): Promise<void> {
  const { page } = stage;
  const { handle } = await untilActionable(stage, selector, { use: true });
  const { isOn, isRadio } = await stateOf(stage, handle, selector);
  if (isOn === checked) return;
  if (isRadio && !checked)
    throw new ActionFailure(`${selector} is a radio button: to clear it, choose another one of its group`);
  const document = page.mainFrame.current();
  await clickOn(stage, selector, { use: true });
  for (let checks = 0; checks < MAX_CHECKS; checks++) {
    await stage.settle();
    const now = await page.evaluateHandle(pickElement, selector);
    if (now === undefined || page.mainFrame.current() !== document) return; // the click has navigated
    if ((await stateOf(stage, now, selector)).isOn === checked) return;
    await delay(page, POLL_MS);
  }
  throw new ActionFailure(`${selector} stays ${checked ? 'off' : 'on'} when it is clicked`);
}

async function stateOf({ page }: Stage, handle: Handle, selector: string): Promise<SwitchState> {
  const state = await page.callOn(handle, switchState);
  if (state === undefined) throw new ActionFailure(`${selector} is not a checkbox, a radio button or a switch`);
  return state;
}

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

/**
 * Selects options of a select field as soon as they exist.
 * @throws ActionFailure that names the missing value by its position
 */
export async function selectOptions(
  stage: Stage,
  { selector, values }: { readonly selector: string; readonly values: readonly string[] },
): Promise<void> {
  for (;;) {
    const { handle } = await untilActionable(stage, selector, { use: true });
    const choice = await stage.page.callOn(handle, chooseOptions, values);
    if (choice.state === 'chosen') return;
    if (choice.state === 'no_select') throw new ActionFailure(`${selector} is not a select field`);
    if (choice.state === 'single') throw new ActionFailure(`${selector} accepts only one value`);
    const { state, position } = choice;
    if (performance.now() >= stage.endsAt) {
      const what = state === 'missing' ? 'is not an option' : 'is a disabled option';
      throw new ActionFailure(`values[${position}] ${what} of ${selector}`);
    }
    await delay(stage.page, POLL_MS);
  }
}
