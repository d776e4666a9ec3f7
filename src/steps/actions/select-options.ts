import { chooseOptions } from './in-page/choose-options.ts';
import { delay } from '../common/waiting.ts';
import { ActionFailure } from './action-failure.ts';
import { untilActionable } from './actionable.ts';
import type { Stage } from './stage.ts';

const POLL_MS = 50;

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
