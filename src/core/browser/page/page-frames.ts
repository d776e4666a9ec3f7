import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer';
import { isDocumentLost } from '../browser-errors.ts';
import { callText, type Evaluation } from './evaluate.ts';
import { framesInPageTime } from './in-page/frames-in-page-time.ts';

const BETWEEN_PIECES_MS = 10;

/**
 * What scripts may observe of their page. `layout`: the size of an element or the window, with an observer or
 * `matchMedia`. `view`: what comes into view, with an IntersectionObserver or an interval. `parts`: how much of an
 * element is in view.
 */
type Observed = 'layout' | 'view' | 'parts';

/** Frame callbacks of a page. They run in page time when page time runs ahead. */
export interface PageFrames {
  /** Wraps `requestAnimationFrame` in every later document of the session, before any script of the page. */
  readonly install: (session: CDPSession) => Promise<unknown>;
  /** Makes WebGL canvases of every later document keep what they draw. */
  readonly keepDrawings: (session: CDPSession) => Promise<unknown>;
  /** Lets page time run ahead in the current document and in its same-origin frames, with a frame every `frameMs`. */
  readonly begin: (frameMs: number) => Promise<void>;
  /** Like `begin`, for a frame in another process. */
  readonly beginIn: (session: CDPSession, frameMs: number) => Promise<unknown>;
  /** True while the page awaits work that is no request, timer or frame. */
  readonly isWorking: () => Promise<boolean>;
  /** True while a one-shot timer of the page has not run. */
  readonly awaitsTimer: () => Promise<boolean>;
  /** True if the page or a same-origin frame observes this. */
  readonly observe: (what: Observed) => Promise<boolean>;
}

export function createPageFrames({ evaluate }: Pick<Evaluation, 'evaluate'>, send: CDPSession['send']): PageFrames {
  const channel = randomUUID(); // a fixed name would let pages find the listener
  const source = `(${framesInPageTime.toString()})('${channel}')`;
  const read = async (name: string): Promise<unknown> => {
    const expression = callText(readShared, [channel, name]);
    const answer = await send('Runtime.evaluate', { expression, returnByValue: true }).catch((error: unknown) => {
      if (!isDocumentLost(error)) throw error;
    });
    const value: unknown = answer?.result.value;
    return value;
  };
  return {
    install: (session) => session.send('Page.addScriptToEvaluateOnNewDocument', { source }),
    keepDrawings: (session) =>
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: callText(notify, [channel, 'keepDrawings']) }),
    begin: (frameMs) => evaluate(notify, channel, frameMs),
    beginIn: (session, frameMs) =>
      session.send('Runtime.evaluate', { expression: callText(notify, [channel, frameMs]) }),
    observe: async (what) => (await read(what)) !== false,
    isWorking: async () => {
      const begun = await read('work');
      if (begun === 'busy') return true;
      if (Number(begun ?? 0) === 0) return false;
      // A page that works without a pause answers only between two pieces of work.
      await delay(BETWEEN_PIECES_MS);
      return (await read('work')) !== begun;
    },
    awaitsTimer: async () => (await read('timer')) === true,
  };
}

/** Runs in the page. */
function notify(channel: string, detail: number | string): void {
  performance.dispatchEvent(new CustomEvent(channel, { detail }));
}

interface Shared {
  readonly work: number;
  readonly begun: number;
  readonly due: Readonly<Record<number, number>>;
  readonly observes: Readonly<Record<string, unknown>>;
}

/** Undefined without the wrappers. Runs in the page. */
function readShared(channel: string, name: string): unknown {
  const detail: { shared?: Shared } = {};
  performance.dispatchEvent(new CustomEvent(channel, { detail }));
  if (detail.shared === undefined) return undefined;
  const { work, begun, due, observes } = detail.shared;
  if (name === 'timer') return Object.values(due).some((at) => at > performance.now());
  return name === 'work' ? (work > 0 ? 'busy' : begun) : observes[name];
}
