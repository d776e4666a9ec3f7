import type { z } from 'zod';
import type { Page } from '../../browser/page/page.ts';
import type { GateSession } from '../../egress/gate/gate.ts';
import type { KeptAway } from './kept-away.ts';
import type { ListEngine } from '../../blocklists/list-engine.ts';
import type { Phase } from './stopwatch.ts';

/** What a step may use beside its own options. */
export interface StepContext {
  /** Milliseconds that each single wait may take (`wait_for_timeout`). */
  readonly waitMs: number;
  /** False when the result is source text: nobody will see how the page looks. */
  readonly isPainted: boolean;
  /** True when it is laid out on paper, which is never cut. */
  readonly isPaged: boolean;
  /** The address that was asked for; undefined for supplied markup. */
  readonly url: string | undefined;
  /** True when all of the page will be seen: `full_page`, or a document. */
  readonly wholePage: boolean;
  /** True when the client does something in the page, by a script or by actions, which its document does not show. */
  readonly isActedOn: boolean;
  /** Waits while the page is on its way elsewhere. */
  readonly settle: () => Promise<void>;
  /**
   * Brings the page to another address, as it was brought to the first.
   * @throws ServiceError as for `url`.
   */
  readonly goTo: (url: string) => Promise<void>;
  /** Tells the client, in X-Capture-Warnings, of something that ran out of time. */
  readonly warn: (code: WarningCode) => void;
  /** What the client wanted kept away of this page, for X-Filtered-Requests. */
  readonly keptAway: KeptAway;
  /** The gate that all connections of the page cross. */
  readonly gateSession: Pick<GateSession, 'keepAway'>;
  /** The operator's filter lists, once they have been read; undefined without any. */
  readonly lists: () => Promise<ListEngine | undefined>;
}

/** Every code in X-Capture-Warnings, with what it tells. */
export const WARNINGS = {
  network_not_idle: '`wait_for_network` ran out of time while requests were in flight',
  requests_pending:
    'Requests in flight at the `load` event, or started while the page was scrolled, had not ended 5 s later',
  run_ahead_incomplete:
    'The page was still busy after its time had run ahead for 4 s. Later content may be missing',
  fonts_not_ready: 'Web fonts were still loading after 5 s',
  images_not_ready: 'Pictures in view were still loading after 5 s',
  scroll_incomplete: 'The page was too tall or too slow to scroll through. Lazy content may be missing',
  cookie_banner_open:
    '`block_cookie_banners` found a cookie banner that could be neither rejected nor removed',
  main_content_not_found: 'The page has no recognizable main content. The markdown has the whole page',
  markdown_is_plain:
    'The page was too large for markdown. The result is its plain text, without headings, lists and links',
  parts_differ:
    'The page changed during the capture. The file and the parts of a JSON answer may show different states',
  navigations_pending: 'The page kept redirecting itself and was captured in between',
  tags_left_out:
    'The document is too large for accessibility tags. It has no tags, and no bookmarks, which need tags',
} as const;

/** The closed set of codes in X-Capture-Warnings. */
export type WarningCode = keyof typeof WARNINGS;

export function isWarningCode(code: unknown): code is WarningCode {
  return typeof code === 'string' && Object.hasOwn(WARNINGS, code);
}

/** A piece of the request: the fields it owns, and what they do to the page. */
export interface Step<Schema extends z.ZodObject> {
  /** Label in logs. */
  readonly name: string;
  /** Where its time is booked; `wait` unless it says otherwise. */
  readonly phase?: Phase;
  readonly schema: Schema;
  /** True for one of several waits, that bounds each of them. */
  readonly boundsItself?: boolean;
  readonly apply: (page: Page, options: z.output<Schema>, context: StepContext) => Promise<void>;
}

/** A step without fields of its own. */
export interface PlainStep {
  readonly name: string;
  readonly apply: (page: Page, options: object, context: StepContext) => Promise<void>;
}
