import type { Need } from './in-page/read-element-state.ts';
import { type Actionable, isStillActionable, untilActionable } from './actionable.ts';
import { ActionFailure, type Stage, untilDrawn, untilTaken } from './stage.ts';

const LEFT = { button: 'left', clickCount: 1 } as const;

/**
 * Moves the mouse to an element and leaves it there. Checks the element again, because hover effects may cover or move
 * it.
 * @throws ActionFailure like `untilActionable`
 */
export async function moveTo(stage: Stage, selector: string, need: Need): Promise<Actionable> {
  const { page, endsAt } = stage;
  for (;;) {
    const target = await untilActionable(stage, selector, { ...need, point: true });
    const { x, y } = target;
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    await untilDrawn(page);
    const isThere = await isStillActionable(stage, {
      selector,
      need: { ...need, point: true },
      before: target,
    });
    if (isThere) return target;
    if (performance.now() >= endsAt) throw new ActionFailure(`${selector} moves away from the mouse`);
  }
}

/** Clicks an element with the left button. */
export async function clickOn(stage: Stage, selector: string, need: Need): Promise<Actionable> {
  const target = await moveTo(stage, selector, need);
  const { x, y } = target;
  const { page } = stage;
  await untilTaken(page, [
    page.send('Input.dispatchMouseEvent', { type: 'mousePressed', x, y, buttons: 1, ...LEFT }),
    page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, ...LEFT }),
  ]);
  return target;
}
