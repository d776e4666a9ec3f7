import type { z } from 'zod';
import type { Logger } from '../../ground/log.ts';
import type { Page } from '../../browser/page/page.ts';
import type { GateSession } from '../../egress/gate/gate-session.ts';
import type { BlockedRequests } from './blocked-requests.ts';
import type { FilterRules } from './filter-rules.ts';
import type { Phase } from './stopwatch.ts';

/** In CSS pixels of the page. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Context of a step, beside its own options. */
export interface StepContext {
  /** Time limit of each single wait in milliseconds (`wait_for_timeout`). */
  readonly waitMs: number;
  /** False for text formats: the appearance of the page does not matter. */
  readonly isPainted: boolean;
  /** True if the result has the text that a person can see. */
  readonly readsSeenText: boolean;
  /** Returns the size of the page's paper without its margins. Undefined if the result is not laid out on paper. */
  readonly paper: (() => Promise<Size>) | undefined;
  /** True if the result has what WebGL canvases show, and is no picture. */
  readonly keepsDrawings: boolean;
  /** The requested URL. Undefined if the request has HTML instead. */
  readonly url: string | undefined;
  /** True if the result shows the whole page: `full_page`, or a document. */
  readonly wholePage: boolean;
  /** True if the result may show what lies outside of the window: the whole page, a rectangle or an element. */
  readonly leavesWindow: boolean;
  /** True if the page is scrolled through before it is captured. */
  readonly isScrolled: boolean;
  /** The end of the wait for elements that were not there before the scroll, on the clock of `performance.now()`. */
  readonly awaited: { elementUntil: number | undefined };
  /** True if a script or actions of the request change the page in a way that its document does not show. */
  readonly isActedOn: boolean;
  /**
   * The document that actions of the request have changed. It is not scrolled any more, and hardly runs ahead: both may
   * close what an action has opened.
   */
  readonly acted: { document: unknown };
  /** Gives the page its first interaction. False if it listens for none. */
  readonly interact: () => Promise<boolean>;
  /** Waits while the page navigates. */
  readonly settle: () => Promise<void>;
  /**
   * Navigates to another address, like the first navigation.
   * @throws ServiceError as for `url`
   */
  readonly goTo: (url: string) => Promise<void>;
  /**
   * Records that the condition of the request has been met while the page was loading: it is ready, whatever else it
   * does.
   */
  readonly ready: { isMet: boolean };
  /** False for a page that shows nothing but its background, when it is painted. */
  readonly shows: { something: boolean };
  /** Adds a warning to X-Capture-Warnings. */
  readonly warn: (code: WarningCode) => void;
  /** Requests blocked by fields of this capture, for X-Filtered-Requests. */
  readonly blocked: BlockedRequests;
  /** The gate of this capture. */
  readonly gateSession: Pick<GateSession, 'block'>;
  /** The log of the request. */
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Filter lists of the operator, once they are loaded. Undefined without any. */
  readonly lists: () => Promise<FilterRules | undefined>;
}

/** All codes of X-Capture-Warnings with their descriptions. */
export const WARNINGS = {
  page_load_incomplete:
    'The server of a sub-resource did not answer or sent nothing more for 10 s, or the page was still loading at the time limit. It was captured without the missing sub-resources',
  document_incomplete: 'The connection failed in the middle of the page. The rest of it is missing',
  file_missing: 'The page requests a file of its own that is not among `files`, or not in the folder of the template',
  network_not_idle: '`wait_for_network` ran out of time while requests were in flight',
  requests_pending:
    'Requests in flight at the `load` event, or started while the page was scrolled, had not ended 5 s later',
  run_ahead_incomplete: 'The page was still busy after its time had run ahead for 4 s. Later content may be missing',
  still_changing:
    'Text or elements in the window were still appearing or fading when the page time of `run_ahead` was used up',
  fonts_not_ready: 'Web fonts were still loading after 5 s',
  images_not_ready: 'Pictures in view were still loading after 5 s',
  glyphs_missing:
    'Text has characters that no font on the machine of the service has: they are boxes, or missing. The log names the fonts to install',
  frame_not_drawn:
    "A frame, `object` or `embed` has content that the browser of the service can't draw, such as a PDF. The picture shows an empty box or what stands in for it",
  scroll_incomplete:
    'Content may be missing: the page was too tall or too slow to scroll through, a list in it holds only the items that are scrolled to, only a script scrolls it, or a frame of another site outside of the window could not be painted',
  cookie_banner_open:
    '`block_cookie_banners` could not reject or remove a cookie banner, or the page was too busy to look for one',
  main_content_not_found: 'The page has no recognizable main content. The markdown has the whole page',
  hidden_text_removed:
    'The page has text that a person cannot see. `visible_text` removed it from the markdown; `include: ["hidden_text"]` shows it',
  main_content_reduced:
    'The main content has lost more than a quarter of the text in its part of the page. `main_content: false` has all of it',
  markdown_is_plain:
    'The page was too large for markdown. The result is its plain text, without headings, lists and links',
  parts_differ:
    'The page changed during the capture. The file and the parts of a JSON answer may show different states',
  streams_pending:
    'A WebSocket, an EventSource or a streamed answer still changed the page 5 s after it was ready otherwise. Later content is missing',
  streams_open:
    'A WebSocket, an EventSource or a streamed answer has changed the page, and is still open: more may come',
  work_pending:
    'Work that the page awaits had not ended after 5 s: cryptography, a database, sound, a worklet or a stream of its own',
  timers_pending:
    'The page shows hardly any text and no picture, and waits for a timer beyond `run_ahead`. What the timer shows is missing',
  elements_left_out: 'The selector has more matches than `selector_each` captures, or some lie left of the page',
  element_moving: 'The selected element kept moving. The picture may show another part of the page',
  navigations_pending: 'The page kept redirecting itself and was captured in between',
  content_shrunk: 'The page is wider than the paper and was scaled. `X-Pdf-Scale` has the factor',
  header_overlaps:
    'A header or footer is taller than its margin, and lies over the content of the pdf or beyond its edge',
  content_scrolled: 'Boxes of the page have more content than they show. The pdf lacks what a person would scroll to',
  page_blank:
    'The picture has one colour, and the page shows nothing but its background: `include: ["console"]` shows errors of its scripts. Or the last sheet of the pdf has nothing on it',
  content_cut: 'The page is wider than the paper, even after shrinking. The pdf lacks the content beyond its edge',
  paged_media_incomplete:
    'The style sheets of the book have rules of `paged_media` that are left out. The log names them',
  pdf_text_missing: 'The PDF has no text that programs can read, only pictures, such as those of a scanner',
  pdf_text_doubtful:
    'More than a tenth of the letters of the PDF have no meaning in it: its text is probably not what a person reads. The pictures are right',
  pdf_text_cut: 'The PDF has more than 2,000,000 characters or 20,000 pages. The rest of its text is missing',
  pdf_scripts_ignored: 'The PDF has scripts, or actions that start programs. They were not run',
  pdf_signatures_removed:
    'A part of the document was signed. A signature is not valid in another document, so its picture alone is left',
  pdf_scripts_removed: 'A part of the document runs scripts, or starts programs, when it is opened. They were left out',
  pdf_links_removed: 'Links or bookmarks lead to pages that the document does not have. They lead nowhere now',
  pdf_xfa_removed:
    'A part of the document has an XFA form, which holds for that document alone. Its usual form is left',
  pdf_tags_incomplete: 'Not all parts of the document have tags for accessibility, so it does not claim to have any',
  tags_left_out: 'The document is too large for accessibility tags. It has no tags, and no bookmarks, which need tags',
} as const;

/** The closed set of codes in X-Capture-Warnings. */
export type WarningCode = keyof typeof WARNINGS;

export function isWarningCode(code: unknown): code is WarningCode {
  return typeof code === 'string' && Object.hasOwn(WARNINGS, code);
}

/** True if actions of the request have changed the present document. */
export function isActed(page: Page, { acted }: Pick<StepContext, 'acted'>): boolean {
  return acted.document !== undefined && acted.document === page.mainFrame.current();
}

/** A step of a capture: the fields it owns, and its work on the page. */
export interface Step<Schema extends z.ZodObject> {
  /** Label in logs. */
  readonly name: string;
  /** The phase that includes the time of this step. Default: `wait`. */
  readonly phase?: Phase;
  readonly schema: Schema;
  /** True for a step with several waits, which limits each wait itself. */
  readonly boundsItself?: boolean;
  readonly apply: (page: Page, options: z.output<Schema>, context: StepContext) => Promise<void>;
}

/** A step without its own fields. */
export interface PlainStep {
  readonly name: string;
  readonly apply: (page: Page, options: object, context: StepContext) => Promise<void>;
}
