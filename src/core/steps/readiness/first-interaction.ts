import type { Page } from '../../browser/page/page.ts';
import type { PlainStep } from '../common/step.ts';
import { canAct } from './in-page/can-act.ts';
import { heardTypes } from './scroll-notice.ts';

/** What the first move fires. A page that only listens for keys or the scroll would not notice it. */
const FIRST = { mouse: /^(?:mouse|pointer)(?:move|over|enter)$/, touch: /^(?:touchstart|pointerdown)$/ };

/**
 * The first move of the mouse, for pages that load their scripts only then. A request that acts on the page gets it
 * before; otherwise it comes with `run_ahead`, when the page is known to have scripts.
 */
export const firstInteraction: PlainStep = {
  name: 'first-interaction',
  apply: async (page, _options, { isActedOn, interact }) => {
    if (isActedOn && (await page.evaluate(canAct))) await interact();
  },
};

interface Surface {
  readonly window_height: number;
  readonly has_touch?: boolean | undefined;
}

/**
 * Moves the mouse at the left edge of the window and out of it, or touches that edge, if the page listens for it. At
 * the upper edge, a visitor would seem to leave. False if the page does not listen.
 */
export async function moveMouse(page: Page, { window_height: height, has_touch: hasTouch }: Surface): Promise<boolean> {
  const types = await heardTypes(page);
  if (!types.some((type) => FIRST[hasTouch === true ? 'touch' : 'mouse'].test(type))) return false;
  const y = Math.floor(height / 2);
  if (hasTouch) {
    await page.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 1, y }] });
    await page.send('Input.dispatchTouchEvent', { type: 'touchCancel', touchPoints: [] });
    return true;
  }
  await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y });
  // Each move is answered with a frame. That the mouse has left is not awaited.
  page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: -1, y }).catch(() => undefined);
  return true;
}
