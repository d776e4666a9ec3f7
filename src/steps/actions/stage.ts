import type { Page } from '../../browser/page/page.ts';

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
