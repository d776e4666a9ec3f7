import { randomUUID } from 'node:crypto';
import type { CDPSession } from 'puppeteer';
import { callText } from '../../core/browser/page/evaluate.ts';
import type { Page } from '../../core/browser/page/page.ts';
import type { AnyStep } from '../../core/feature.ts';
import { steadyPage } from './in-page/steady-page.ts';
import { MOMENT_MS } from './moment.ts';

/** Page time that is passed after the end of the page's time, so that its last frame is drawn. */
const LAST_FRAME_MS = 50;
const SECOND_MS = 1_000;
/** The time ends so long after a whole second: timers of that second have run, and none of the next. */
const LATE_MS = 9;

export interface ReproducibleOptions {
  readonly reproducible: boolean;
  readonly run_ahead: number;
  readonly delay_capture: number;
  readonly wait_for_selector?: string | undefined;
  readonly wait_for_selector_hidden?: string | undefined;
  readonly wait_for_network?: string | undefined;
  readonly wait_for_function?: string | undefined;
  readonly actions?: readonly unknown[] | undefined;
}

/** The event that ends the time of a page. A fixed name would let pages find the listener. */
const channels = new WeakMap<Page, string>();

/** Gives the page its time and its random numbers. */
export const steadyTime: AnyStep<ReproducibleOptions> = {
  name: 'steady-time',
  apply: async (page, options) => {
    if (!options.reproducible) return;
    const channel = randomUUID();
    channels.set(page, channel);
    const source = callText(steadyPage, [MOMENT_MS, options.run_ahead > 0, channel]);
    page.clock.beginAt(MOMENT_MS, waitsForPage(options));
    await Promise.all([
      page.onSession((session) => session.send('Page.addScriptToEvaluateOnNewDocument', { source })),
      page.onWorker((worker) => worker.send('Runtime.evaluate', { expression: source })),
    ]);
  },
};

/** Ends the time of the page at a whole second, and draws its last frame. */
export const steadyEnd: AnyStep<ReproducibleOptions> = {
  name: 'steady-end',
  apply: async (page, { run_ahead: ahead }) => {
    const channel = channels.get(page);
    if (channel === undefined) return;
    if (page.clock.hasRunAhead()) {
      const passedMs = await page.evaluate((beginMs) => Date.now() - beginMs, MOMENT_MS);
      const endMs = (Math.floor(passedMs / SECOND_MS) + 1) * SECOND_MS;
      await page.clock.advance(endMs + LATE_MS - passedMs);
      await endAll(page, channel, endMs);
      await page.clock.advance(LAST_FRAME_MS);
    } else if (ahead === 0) {
      await endAll(page, channel, SECOND_MS); // otherwise the time still stands at its beginning
    }
  },
};

async function endAll(page: Page, channel: string, endMs: number): Promise<void> {
  await Promise.all([
    page.evaluate(endTime, channel, endMs),
    ...page.children.frames().map((frame) => endIn(frame, channel, endMs)),
  ]);
}

/** Page time must pass while the request waits for something that timers of the page may do. */
function waitsForPage(options: ReproducibleOptions): boolean {
  const { delay_capture: delayMs, actions, wait_for_selector: shown, wait_for_selector_hidden: hidden } = options;
  const { wait_for_network: network, wait_for_function: condition } = options;
  return delayMs > 0 || [actions, shown, hidden, network, condition].some((wait) => wait !== undefined);
}

/** Runs in the page, and in same-origin frames. */
function endTime(channel: string, endMs: number): void {
  const end = (view: Window): void => {
    try {
      view.performance.dispatchEvent(new CustomEvent(channel, { detail: endMs }));
      for (const inner of Array.from(view.frames)) end(inner);
    } catch {
      // The frame is of another origin.
    }
  };
  end(window);
}

async function endIn(frame: CDPSession, channel: string, endMs: number): Promise<void> {
  await frame.send('Runtime.evaluate', { expression: callText(endTime, [channel, endMs]) }).catch(() => undefined);
}
