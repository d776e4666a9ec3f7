import { type SwitchState, switchState } from '../in-page/actions/switch-state.ts';
import { letPass } from '../common/waiting.ts';
import { ActionFailure } from './action-failure.ts';
import { untilActionable } from './actionable.ts';
import { clickOn } from './mouse.ts';
import type { Stage } from './stage.ts';

/** A page may take a moment to show what a click has done. */
const LOOKS = 20;
const LOOK_MS = 50;

/**
 * Clicks a checkbox, a radio button or a switch that is not as it should be.
 * @throws ActionFailure for what is none, and for one that stays as it was.
 */
export async function switchTo(
  stage: Stage,
  { selector, checked }: { readonly selector: string; readonly checked: boolean },
): Promise<void> {
  const look = async (): Promise<SwitchState> => {
    const { handle } = await untilActionable(stage, selector, { use: true });
    const state = await stage.page.callOn(handle, switchState);
    if (state === undefined) throw new ActionFailure(`${selector} is no checkbox, radio button or switch`);
    return state;
  };
  const { isOn, isRadio } = await look();
  if (isOn === checked) return;
  if (isRadio && !checked)
    throw new ActionFailure(`${selector} is a radio button: it goes off when another of its group is chosen`);
  await clickOn(stage, selector, { use: true });
  const { current } = stage.page.mainFrame;
  const document = current();
  for (let looks = 0; looks < LOOKS; looks++) {
    await stage.settle();
    if (current() !== document) return; // it was one that leads elsewhere
    if ((await look()).isOn === checked) return;
    await letPass(stage.page, LOOK_MS);
  }
  throw new ActionFailure(`${selector} stays ${checked ? 'off' : 'on'} when it is clicked`);
}
