import type { Page } from '../../browser/page/page.ts';

/** What an action has to work with. */
export interface Stage {
  readonly page: Page;
  /** When the patience for its element ends, by `performance.now()`. */
  readonly endsAt: number;
  /** Waits while the page is on its way elsewhere. */
  readonly settle: () => Promise<void>;
  /** Brings the page to another address. */
  readonly goTo: (url: string) => Promise<void>;
  /** Waits for what the page has asked for. */
  readonly drain: () => Promise<void>;
}
