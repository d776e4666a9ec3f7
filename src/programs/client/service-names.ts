// Written by `npm run docs` from WARNINGS and PHASES of src/core/steps/common/.

/** Code of a warning: what the capture may lack. */
export type WarningCode =
  /** The server of a sub-resource did not answer or sent nothing more for 10 s, or the page was still loading at the time limit. It was captured without the missing sub-resources */
  | 'page_load_incomplete'
  /** The connection failed in the middle of the page. The rest of it is missing */
  | 'document_incomplete'
  /** The page requests a file of its own that is not among `files`, or not in the folder of the template */
  | 'file_missing'
  /** `wait_for_network` ran out of time while requests were in flight */
  | 'network_not_idle'
  /** Requests in flight at the `load` event, or started while the page was scrolled, had not ended 5 s later */
  | 'requests_pending'
  /** The page was still busy after its time had run ahead for 4 s. Later content may be missing */
  | 'run_ahead_incomplete'
  /** Text or elements in the window were still appearing or fading when the page time of `run_ahead` was used up */
  | 'still_changing'
  /** Web fonts were still loading after 5 s */
  | 'fonts_not_ready'
  /** Pictures in view were still loading after 5 s */
  | 'images_not_ready'
  /** Text has characters that no font on the machine of the service has: they are boxes, or missing. The log names the fonts to install */
  | 'glyphs_missing'
  /** A frame, `object` or `embed` has content that the browser of the service can't draw, such as a PDF. The picture shows an empty box or what stands in for it */
  | 'frame_not_drawn'
  /** Content may be missing: the page was too tall or too slow to scroll through, a list in it holds only the items that are scrolled to, only a script scrolls it, or a frame of another site outside of the window could not be painted */
  | 'scroll_incomplete'
  /** `block_cookie_banners` could not reject or remove a cookie banner, or the page was too busy to look for one */
  | 'cookie_banner_open'
  /** The page has no recognizable main content. The markdown has the whole page */
  | 'main_content_not_found'
  /** The page has text that a person cannot see. `visible_text` removed it from the markdown; `include: ["hidden_text"]` shows it */
  | 'hidden_text_removed'
  /** The main content has lost more than a quarter of the text in its part of the page. `main_content: false` has all of it */
  | 'main_content_reduced'
  /** The page was too large for markdown. The result is its plain text, without headings, lists and links */
  | 'markdown_is_plain'
  /** The page changed during the capture. The file and the parts of a JSON answer may show different states */
  | 'parts_differ'
  /** A WebSocket, an EventSource or a streamed answer still changed the page 5 s after it was ready otherwise. Later content is missing */
  | 'streams_pending'
  /** A WebSocket, an EventSource or a streamed answer has changed the page, and is still open: more may come */
  | 'streams_open'
  /** Work that the page awaits had not ended after 5 s: cryptography, a database, sound, a worklet or a stream of its own */
  | 'work_pending'
  /** The page shows hardly any text and no picture, and waits for a timer beyond `run_ahead`. What the timer shows is missing */
  | 'timers_pending'
  /** The selector has more matches than `selector_each` captures, or some lie left of the page */
  | 'elements_left_out'
  /** The selected element kept moving. The picture may show another part of the page */
  | 'element_moving'
  /** The page kept redirecting itself and was captured in between */
  | 'navigations_pending'
  /** The page is wider than the paper and was scaled. `X-Pdf-Scale` has the factor */
  | 'content_shrunk'
  /** A header or footer is taller than its margin, and lies over the content of the pdf or beyond its edge */
  | 'header_overlaps'
  /** Boxes of the page have more content than they show. The pdf lacks what a person would scroll to */
  | 'content_scrolled'
  /** The picture has one colour, and the page shows nothing but its background: `include: ["console"]` shows errors of its scripts. Or the last sheet of the pdf has nothing on it */
  | 'page_blank'
  /** The page is wider than the paper, even after shrinking. The pdf lacks the content beyond its edge */
  | 'content_cut'
  /** The style sheets of the book have rules of `paged_media` that are left out. The log names them */
  | 'paged_media_incomplete'
  /** The PDF has no text that programs can read, only pictures, such as those of a scanner */
  | 'pdf_text_missing'
  /** More than a tenth of the letters of the PDF have no meaning in it: its text is probably not what a person reads. The pictures are right */
  | 'pdf_text_doubtful'
  /** The PDF has more than 2,000,000 characters or 20,000 pages. The rest of its text is missing */
  | 'pdf_text_cut'
  /** The PDF has scripts, or actions that start programs. They were not run */
  | 'pdf_scripts_ignored'
  /** A part of the document was signed. A signature is not valid in another document, so its picture alone is left */
  | 'pdf_signatures_removed'
  /** A part of the document runs scripts, or starts programs, when it is opened. They were left out */
  | 'pdf_scripts_removed'
  /** Links or bookmarks lead to pages that the document does not have. They lead nowhere now */
  | 'pdf_links_removed'
  /** A part of the document has an XFA form, which holds for that document alone. Its usual form is left */
  | 'pdf_xfa_removed'
  /** Not all parts of the document have tags for accessibility, so it does not claim to have any */
  | 'pdf_tags_incomplete'
  /** The document is too large for accessibility tags. It has no tags, and no bookmarks, which need tags */
  | 'tags_left_out';

/** Phase of a capture. */
export type Phase = 'queue' | 'navigate' | 'ahead' | 'wait' | 'render';
