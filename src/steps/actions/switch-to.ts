import type { Handle } from '../../browser/page/evaluate.ts';
import { rootsOf } from '../in-page/roots-of.ts';
import { pickElement } from './in-page/pick-element.ts';
import { type SwitchState, switchState } from './in-page/switch-state.ts';
import { delay } from '../common/waiting.ts';
import { ActionFailure } from './action-failure.ts';
import { untilActionable } from './actionable.ts';
import { clickOn } from './mouse.ts';
import type { Stage } from './stage.ts';

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
    const now = await page.evaluateHandle(pickElement, selector, rootsOf);
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
