import { withTimeout } from '../../ground/timeouts.ts';
import { readStat } from '../../processes/process-stat.ts';
import { createRendererWatch, type RendererWatchOptions } from './renderer-watch.ts';

const RENDERER_ROUND_MS = 100;
const ANSWER_ROUND_MS = 500;
const ANSWER_LIMIT_MS = 1_000;
const MISSED_ANSWERS = 3; // together with the check interval and the time limit, a hang is detected within five seconds
// Requests queue up while the browser does not answer, so a browser that uses no processor time is killed sooner. A
// busy browser, or a browser that waits for a processor, uses some processor time within a second.
const MISSED_STANDING_STILL = 2;

interface WatchdogOptions extends RendererWatchOptions {
  /** Called before a browser is killed because it does not answer. */
  readonly onUnresponsive: () => void;
}

/**
 * Watches a browser until it ends. Kills it when it does not answer, can't open new pages, or uses too much memory.
 * Also watches its renderers. Pages that hang are found elsewhere: in `core/browser/page/page-clock.ts` while page time
 * runs ahead, and in `core/browser/host/browser-host.ts` when a page does not close.
 */
export function watchBrowser(options: WatchdogOptions): void {
  const { browser, onUnresponsive, log } = options;
  let missed = 0;
  let stoodStill = 0;

  const checkAnswer = async (): Promise<void> => {
    if (browser.hasLostPageStarters()) {
      log.error({ pid: browser.pid }, "the browser can't open new pages: killing it");
      browser.kill();
      return;
    }
    const before = { cpuMs: readStat(browser.pid)?.cpuMs, received: browser.pipe.receivedCount() };
    try {
      const answer = browser.connection.send('Browser.getVersion');
      await withTimeout(answer, ANSWER_LIMIT_MS, () => new Error('no answer'));
      missed = 0;
      stoodStill = 0;
    } catch {
      // A browser that sends messages runs. Its answer waits behind them if this process is too busy to read them in
      // time.
      if (browser.pipe.receivedCount() > before.received) return;
      missed++;
      const { cpuMs } = before;
      stoodStill = cpuMs !== undefined && readStat(browser.pid)?.cpuMs === cpuMs ? stoodStill + 1 : 0;
      const isLost = missed >= MISSED_ANSWERS || stoodStill >= MISSED_STANDING_STILL;
      if (!isLost || browser.ended.aborted) return;
      log.error({ pid: browser.pid }, 'the browser does not answer: killing it');
      onUnresponsive();
      browser.kill();
    }
  };

  const every = async (ms: number, round: () => Promise<void> | void): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => void setTimeout(resolve, ms).unref());
      if (browser.ended.aborted) return;
      await round();
    }
  };
  Promise.all([every(ANSWER_ROUND_MS, checkAnswer), every(RENDERER_ROUND_MS, createRendererWatch(options))]).catch(
    (error: unknown) => log.error({ err: error }, 'the watchdog of the browser has stopped'),
  );
}
