import type { Page } from '../../core/browser/page/page.ts';
import { isDocumentLost } from '../../core/browser/browser-errors.ts';
import { delay } from '../../core/steps/common/waiting.ts';
import { twoFrames } from './in-page/two-frames.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { withName } from '../../core/ground/named.ts';

/** Everything that an action needs. */
export interface Stage {
  readonly page: Page;
  /** End of the time limit for its element, on the clock of `performance.now()`. */
  readonly endsAt: number;
  /** Waits while the page navigates. */
  readonly settle: () => Promise<void>;
  /** Navigates to another address. */
  readonly goTo: (url: string) => Promise<void>;
  /** Waits for requests that the page has started. */
  readonly drain: () => Promise<void>;
}

/** Waits until the page has processed the sent input. A page that navigates may never answer. */
export async function untilTaken(page: Page, sent: readonly Promise<unknown>[]): Promise<void> {
  try {
    await Promise.race([Promise.all(sent), page.mainFrame.next()]);
  } catch (error) {
    if (!isDocumentLost(error)) throw error;
  }
}

/**
 * Waits until the page has drawn and has run earlier tasks: mouse moves are delivered with the next frame, forms are
 * submitted one task later. If a page does not answer or has no timers, the next step finds out.
 */
export async function untilDrawn(page: Page): Promise<void> {
  await Promise.race([page.evaluate(twoFrames), delay(page, LIMIT_MS.framesOfAction)]);
}

/** A failed action, with the reason for the client. The message contains no text of the page and no typed text. */
export class ActionFailure extends Error {
  override readonly name = 'ActionFailure';
}

/** Returns the name of an action in errors. */
export function nameAction({ type }: { readonly type: string }, index: number): string {
  return `actions[${index}] ${type}`;
}

/** Converts an ActionFailure to the client's error, which names the action. Returns other errors unchanged. */
export function explainAction(name: string, error: unknown): unknown {
  if (error instanceof ActionFailure)
    return new ServiceError('ActionFailedError', undefined, {
      details: `${name}: ${error.message}`,
    });
  if (isDocumentLost(error))
    return new ServiceError('ActionFailedError', undefined, {
      details: `${name}: the page navigated meanwhile`,
      cause: error,
    });
  return withName(name, error);
}
