import { bringIntoView } from '../../core/steps/in-page/bring-into-view.ts';
import { scrollPage } from './in-page/scroll-page.ts';
import { delay } from '../../core/steps/common/waiting.ts';
import { untilActionable } from './actionable.ts';
import type { Action } from './action-fields.ts';
import { pressKeys } from './keyboard.ts';
import { parseKeys } from './keyboard-keys.ts';
import { clickOn, moveTo } from './mouse.ts';
import type { Stage } from './stage.ts';
import { selectOptions, switchTo, typeInto } from './form-controls.ts';

/**
 * Runs one action.
 * @throws ActionFailure if it fails
 */
export async function performAction(stage: Stage, action: Action): Promise<void> {
  switch (action.type) {
    case 'click':
      await clickOn(stage, action.selector, { use: true });
      return;
    case 'hover':
      await moveTo(stage, action.selector, {});
      return;
    case 'type':
      await typeInto(stage, action);
      return;
    case 'press': {
      const keys = parseKeys(action.key);
      if (keys !== undefined) await pressKeys(stage.page, keys);
      return;
    }
    case 'select':
      await selectOptions(stage, action);
      return;
    case 'check':
      await switchTo(stage, action);
      return;
    case 'scroll':
      await scroll(stage, action);
      return;
    case 'wait':
      if (action.milliseconds !== undefined) await delay(stage.page, action.milliseconds);
      if (action.selector !== undefined) await untilActionable(stage, action.selector, {});
      return;
    case 'goto':
      await stage.goTo(action.url);
      return;
  }
}

async function scroll(
  stage: Stage,
  { selector, to, x, y }: Extract<Action, { readonly type: 'scroll' }>,
): Promise<void> {
  const { page } = stage;
  if (selector === undefined) {
    await page.evaluate(scrollPage, { to, x, y });
  } else {
    const { handle } = await untilActionable(stage, selector, { place: true });
    await page.callOn(handle, bringIntoView);
  }
  await stage.drain();
}
