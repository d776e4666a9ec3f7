// Written by `npm run docs` from the schema of src/core/capture/request/options.ts.

/** The fields of a capture. Exactly one of `url`, `html_content` and `markdown_content` is required, unless `template` has its own page. */
export interface CaptureFields {
  /** The page to capture */
  readonly url?: string | undefined;
  /** HTML to capture instead of a URL. Relative links in it need `base_url` or `files` */
  readonly html_content?: string | undefined;
  /** Base address of `html_content` or `markdown_content`: relative links are resolved against it, and scripts have its origin. It is not requested */
  readonly base_url?: string | undefined;
  /** Files that `html_content` or `markdown_content` loads by relative links, such as styles, fonts and pictures. No other capture can load them. Or send them as parts of a `multipart/form-data` body */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** Name of the outgoing proxy of `PROXIES` that all connections of the page go through. Replaces `EGRESS_PROXY`, and `NO_PROXY` does not apply */
  readonly proxy?: string | undefined;
  /** Output format. Default: `"png"` */
  readonly format?:
    'png' | 'jpeg' | 'webp' | 'avif' | 'pdf' | 'html' | 'markdown' | 'mhtml' | 'single_html' | undefined;
  /** Name of a template of `TEMPLATES_DIR`. It has its own page, or it is a preset of fields for a `url` or `html_content` */
  readonly template?: string | undefined;
  /** Values for the page of the template */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Reject the page after one of these failures. `http_error`: the page, a frame or a sub-resource answered with status 400 or above. `request_failed`: a request got no answer. `console_error`: `console.error` or an uncaught error, among the last 1,000 messages */
  readonly fail_on?: readonly ('http_error' | 'request_failed' | 'console_error')[] | undefined;
  /** Reject the page if a frame or a sub-resource answers with one of these statuses */
  readonly fail_on_resource_status?: readonly string[] | undefined;
  /** Reject the page if it shows this text when it is ready. Upper and lower case matter; any white space is one space */
  readonly fail_if_text?: string | undefined;
  /** Reject the page unless it shows this text when it is ready */
  readonly fail_unless_text?: string | undefined;
  /** Markdown to capture instead of a URL: CommonMark with tables, task lists, footnotes and alerts, shown with a plain style. Front matter is left out, and HTML other than `<br>`, `<sub>` and `<sup>` is escaped */
  readonly markdown_content?: string | undefined;
  /** Name of a PDF in `files` to capture instead of a URL. A `url` may be a PDF as well */
  readonly file?: string | undefined;
  /** Page of a PDF that a picture shows, at `window_width`. Unset: the first. With `full_page`, a picture shows all pages below each other */
  readonly pdf_page?: number | undefined;
  /** Type of the answer: the file, or JSON with the file in base64, the parts of `include` and the metadata of the headers. Default: `"file"` */
  readonly response_type?: 'file' | 'json' | undefined;
  /** Additional parts of a JSON answer, of the same moment as the file. Needs `response_type=json` */
  readonly include?:
    | readonly (
        | 'metadata'
        | 'html'
        | 'markdown'
        | 'hidden_text'
        | 'links'
        | 'console'
        | 'network'
        | 'accessibility'
        | 'extract'
        | 'storage_state'
      )[]
    | undefined;
  /** Values to read from the page, by name: the text of the first match of a selector, as a person sees it. An object reads an `attribute` or `property`, `all` matches, another `type`, or `fields` inside of each match. Nothing found is `null`. Needs `response_type=json` */
  readonly extract?:
    | Readonly<
        Record<
          string,
          | string
          | {
              readonly selector: string;
              readonly attribute?: string | undefined;
              readonly property?: string | undefined;
              readonly all?: boolean | undefined;
              readonly type?: 'text' | 'number' | 'boolean' | 'url' | 'html' | undefined;
              readonly fields?:
                | Readonly<
                    Record<
                      string,
                      | string
                      | {
                          readonly selector: string;
                          readonly attribute?: string | undefined;
                          readonly property?: string | undefined;
                          readonly all?: boolean | undefined;
                          readonly type?: 'text' | 'number' | 'boolean' | 'url' | 'html' | undefined;
                          readonly fields?:
                            | Readonly<
                                Record<
                                  string,
                                  | string
                                  | {
                                      readonly selector: string;
                                      readonly attribute?: string | undefined;
                                      readonly property?: string | undefined;
                                      readonly all?: boolean | undefined;
                                      readonly type?: 'text' | 'number' | 'boolean' | 'url' | 'html' | undefined;
                                    }
                                >
                              >
                            | undefined;
                        }
                    >
                  >
                | undefined;
            }
        >
      >
    | undefined;
  /** Capture the whole scrollable page. Default: `false` */
  readonly full_page?: boolean | undefined;
  /** Scroll through a full page before the capture, so that lazy content loads. Default: `true` */
  readonly full_page_scroll?: boolean | undefined;
  /** Maximum height of a full-page picture, in CSS pixels */
  readonly full_page_max_height?: number | undefined;
  /** Capture only this rectangle of the whole page, in CSS pixels */
  readonly clip?:
    { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | undefined;
  /** Capture only the first element that matches this CSS selector */
  readonly selector?: string | undefined;
  /** Capture all matches of `selector`: the smallest area of the page that contains them, or the HTML or Markdown of each. Default: `false` */
  readonly selector_all?: boolean | undefined;
  /** Capture each match of `selector`: a picture of its own for each of the first 50. The answer is JSON with `elements`, also without `response_type`. Default: `false` */
  readonly selector_each?: boolean | undefined;
  /** Room around the area of `selector`, in CSS pixels, as far as the page reaches. Default: `0` */
  readonly selector_padding?: number | undefined;
  /** Show the page as on this device: window, density, touch, user agent. Fields of the request override it. `GET /devices` lists the names */
  readonly device?: string | undefined;
  /** Viewport width in CSS pixels. Default: `1280` */
  readonly window_width?: number | undefined;
  /** Viewport height in CSS pixels. Default: `720` */
  readonly window_height?: number | undefined;
  /** Device pixels per CSS pixel. Default: `1` */
  readonly pixel_density?: number | undefined;
  /** Emulate a phone: the page's own viewport declaration applies. Default: `false` */
  readonly is_mobile?: boolean | undefined;
  /** Scale the picture down to this width, in device pixels. Smaller pictures stay unchanged */
  readonly resize_width?: number | undefined;
  /** Scale the picture down to this height, in device pixels. With both sides, it fits into that box */
  readonly resize_height?: number | undefined;
  /** How the picture fits into the box of `resize_width` and `resize_height`. `inside`: the whole picture. `cover`: cropped, from the top. `contain`: centred on white, or on transparency with `omit_background`. Default: `"inside"` */
  readonly resize_fit?: 'inside' | 'cover' | 'contain' | undefined;
  /** Actions on the page after load and before the waits, one after the other, with mouse and keyboard. A click, hover or text waits up to `wait_for_timeout` until its element is visible, not moving and not covered */
  readonly actions?:
    | readonly (
        | {
            readonly type: 'click';
            /** CSS selector of the element to click */
            readonly selector: string;
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'hover';
            /** CSS selector of the element to hover */
            readonly selector: string;
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'type';
            /** CSS selector of the field */
            readonly selector?: string | undefined;
            /** Text to type, key by key; a line break is Enter. More than 500 characters are pasted. For date, time and colour fields: the value, such as `2026-11-22` */
            readonly text: string;
            /** Clear the field first. Default: `false` */
            readonly clear?: boolean | undefined;
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'press';
            /** Name of the key, such as `Enter`, `Escape`, `Shift+Tab`, `Control+A` */
            readonly key: string;
          }
        | {
            readonly type: 'select';
            /** CSS selector of the select field */
            readonly selector: string;
            /** Values or labels of the options; several for a multiple select */
            readonly values: readonly string[];
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'check';
            /** CSS selector of the element to switch */
            readonly selector: string;
            /** The state to set. Default: `true` */
            readonly checked?: boolean | undefined;
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'scroll';
            /** CSS selector of the element to scroll to */
            readonly selector?: string | undefined;
            /** An end of the page */
            readonly to?: 'top' | 'bottom' | undefined;
            /** CSS pixels from the edge of the page */
            readonly x?: number | undefined;
            /** CSS pixels from the edge of the page */
            readonly y?: number | undefined;
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'wait';
            /** Duration in milliseconds of real time */
            readonly milliseconds?: number | undefined;
            /** CSS selector of the element to wait for */
            readonly selector?: string | undefined;
            /** Skip the action if its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'goto';
            /** Address of that page */
            readonly url: string;
          }
      )[]
    | undefined;
  /** Wait until an element matches this CSS selector in the document, its open shadow trees or same-origin frames. Starts after `run_ahead`, and holds until after the scroll of a whole page or an element */
  readonly wait_for_selector?: string | undefined;
  /** Wait until no visible element matches this CSS selector, for example a spinner. Elements without size, with `visibility: hidden` or `opacity: 0` are not visible */
  readonly wait_for_selector_hidden?: string | undefined;
  /** Wait until no request (`idle`), or at most two (`mostly_idle`), have been in flight for 500 ms */
  readonly wait_for_network?: 'idle' | 'mostly_idle' | undefined;
  /** Wait until this JavaScript expression or function of the page returns a truthy value, after a full page was scrolled. If it becomes true after load, the capture waits for no other requests */
  readonly wait_for_function?: string | undefined;
  /** Pause after all waits and before the capture, in milliseconds of real time. Default: `0` */
  readonly delay_capture?: number | undefined;
  /** Time limit of each wait (page load, network, elements, function, script), in milliseconds. A maximum, not a pause. Default: `30000` */
  readonly wait_for_timeout?: number | undefined;
  /** Milliseconds of page time (timers, animation frames, `Date`) to run ahead after load, in at most 4 s of real time, so that preloaders, charts, intros and typed text are finished. Stops early when nothing is pending. By default, the part after 2,500 ms takes at most 1 s of real time. Each screen of a full page gets 400 ms more. 0: off. Default: `6000` */
  readonly run_ahead?: number | undefined;
  /** Show finite CSS and SVG animations and transitions at their end, endless ones where they are most visible, videos and animated pictures at their first frame, and no text cursor. `false` lets all but pictures move. Default: `true` */
  readonly disable_animations?: boolean | undefined;
  /** Don't load pictures, video and audio. Default: `false` */
  readonly block_media?: boolean | undefined;
  /** Block requests to known advertising hosts. This field and the next three block by host, and never block the site of the page itself. `X-Filtered-Requests` counts them. Default: `false` */
  readonly block_ads?: boolean | undefined;
  /** Block requests to known hosts of analytics and tag managers. Default: `false` */
  readonly block_trackers?: boolean | undefined;
  /** Block requests to known hosts of chat and support widgets. Default: `false` */
  readonly block_chats?: boolean | undefined;
  /** Block requests to known hosts of social networks, including buttons and embedded posts. Default: `false` */
  readonly block_socials?: boolean | undefined;
  /** Block requests whose URL matches any of these patterns, except for the page itself. `*` matches anything; no other character is special. A pattern must match the whole URL without its fragment. Of a longer URL, the first and the last 8,192 characters count */
  readonly block_requests?: readonly string[] | undefined;
  /** Block requests of these types. `iframe`: documents in frames. `other`: types without their own name, such as beacons, event sources and prefetches */
  readonly block_resources?:
    | readonly (
        'image' | 'media' | 'font' | 'stylesheet' | 'script' | 'xhr' | 'fetch' | 'websocket' | 'iframe' | 'other'
      )[]
    | undefined;
  /** Hide elements that match any of these CSS selectors, with `display: none` */
  readonly hide_selectors?: readonly string[] | undefined;
  /** CSS to add to the page, its same-origin frames and open shadow trees after load. `@import` is ignored: use `@font-face` for a web font. No effect on the `html` format */
  readonly custom_css?: string | undefined;
  /** For pdf and pictures: show closed `<details>`, scrolled boxes, fields of several lines and same-origin frames at their whole height. Default: `false` */
  readonly expand_content?: boolean | undefined;
  /** Same page, same bytes: the time of the page begins on 1 January 2025, 12:00 UTC, its random numbers are the same each time, and the file has no varying dates and ids. `X-Capture-Digest` changes with the page, the options and the service. Shared workers and service workers keep their own time. Not with passwords. Default: `false` */
  readonly reproducible?: boolean | undefined;
  /** Reject cookie banners, and remove those that can't be rejected. Nothing is ever accepted. Default: `false` */
  readonly block_cookie_banners?: boolean | undefined;
  /** Value of `prefers-color-scheme`: true is `dark`, false is `light` */
  readonly dark_mode?: boolean | undefined;
  /** Value of `prefers-reduced-motion`: true is `reduce`, false is `no-preference` */
  readonly reduced_motion?: boolean | undefined;
  /** CSS media type for any format. Default: `print` for pdf, otherwise `screen` */
  readonly media_type?: 'screen' | 'print' | undefined;
  /** User-Agent header and `navigator.userAgent`. Unset: DEFAULT_USER_AGENT */
  readonly user_agent?: string | undefined;
  /** Language of the page's visitor: Accept-Language header, `navigator.language`, dates, numbers. Unset: DEFAULT_LOCALE */
  readonly locale?: string | undefined;
  /** Time zone of the page's visitor. Unset: DEFAULT_TIMEZONE */
  readonly timezone?: string | undefined;
  /** Emulate a touch screen beside the mouse. Phones (`is_mobile`) have one instead. Default: `false` */
  readonly has_touch?: boolean | undefined;
  /** Run the scripts of the page. Default: `true` */
  readonly javascript?: boolean | undefined;
  /** Request headers, sent only to the origin of `url`, also after a redirect */
  readonly custom_headers?: Readonly<Record<string, string>> | undefined;
  /** Cookies to set before the page is requested. They are sent to the host of `url` on any port, over http and https, as in browsers; `secure` limits a cookie to https */
  readonly cookies?:
    | readonly {
        /** Its name */
        readonly name: string;
        readonly value: string;
        /** The host of `url` or a parent domain, which includes subdomains. Default: the host alone */
        readonly domain?: string | undefined;
        /** Path prefix. Default: `"/"` */
        readonly path?: string | undefined;
        /** Send the cookie over https only. Default: `false` */
        readonly secure?: boolean | undefined;
        /** Hide the cookie from scripts. Default: `false` */
        readonly http_only?: boolean | undefined;
        /** SameSite attribute */
        readonly same_site?: 'strict' | 'lax' | 'none' | undefined;
        /** Unix seconds */
        readonly expires?: number | undefined;
      }[]
    | undefined;
  /** Log-in state in the form of Playwright: cookies, and local storage by origin. It is set once, before the page is requested, only for the domains and origins that it names */
  readonly storage_state?:
    | {
        readonly cookies?:
          | readonly {
              readonly name: string;
              readonly value: string;
              readonly domain: string;
              readonly path?: string | undefined;
              readonly expires?: number | undefined;
              readonly httpOnly?: boolean | undefined;
              readonly secure?: boolean | undefined;
              readonly sameSite?: 'Strict' | 'Lax' | 'None' | undefined;
              readonly partitionKey?: string | undefined;
              readonly _crHasCrossSiteAncestor?: boolean | undefined;
            }[]
          | undefined;
        readonly origins?:
          | readonly {
              readonly origin: string;
              readonly localStorage?: readonly { readonly name: string; readonly value: string }[] | undefined;
              readonly indexedDB?: readonly unknown[] | undefined;
            }[]
          | undefined;
      }
    | undefined;
  /** Credentials for HTTP authentication, sent only to the origin of `url` */
  readonly http_auth?:
    | {
        /** The name */
        readonly username: string;
        /** The password */
        readonly password: string;
      }
    | undefined;
  /** Position that the page gets from the geolocation API. Only the origin of `url` has the permission. As in browsers, the page must use https or be on this machine */
  readonly geolocation?:
    | {
        /** Degrees; north is positive */
        readonly latitude: number;
        /** Degrees; east is positive */
        readonly longitude: number;
        /** Metres. Default: `10` */
        readonly accuracy?: number | undefined;
      }
    | undefined;
  /** JavaScript that runs in each document of the origin of `url` (or `base_url`) before its own scripts: after a navigation and in frames, too. It sets flags, stubs and storage that the page reads at its start */
  readonly init_script?: string | undefined;
  /** JavaScript to run in the page after load, before the waits. Top-level await is supported */
  readonly custom_js?: string | undefined;
  /** Accept certificates that are expired, self-signed or for another host. Default: `false` */
  readonly ignore_https_errors?: boolean | undefined;
  /** Return an error if the page answers with status 400 or above. Default: `false` */
  readonly fail_on_http_error?: boolean | undefined;
  /** Return an error if the page answers with one of these statuses. `5xx` means 500 to 599 */
  readonly fail_on_status?: readonly string[] | undefined;
  /** Omit the white background of the browser: png, webp and avif become transparent. Default: `false` */
  readonly omit_background?: boolean | undefined;
  /** Quality of jpeg, webp and avif. The scales differ: avif at 60 looks like the others at 90. Default: `90` */
  readonly image_quality?: number | undefined;
  /** Colours of a picture. `full`: all. `gray`: 256 grays, with 8 bits a pixel. `mono`: black and white, with 1 bit a pixel, png only, for e-paper. Default: `"full"` */
  readonly color?: 'full' | 'gray' | 'mono' | undefined;
  /** Show the grays of `mono` as patterns of black and white. `false`: what is darker than the middle is black. Default: `true` */
  readonly dither?: boolean | undefined;
  /** Paper size. Unset: the @page size of the page, or A4 */
  readonly pdf_format?: string | undefined;
  /** Print background colours and pictures. Default: `true` */
  readonly pdf_print_background?: boolean | undefined;
  /** Landscape paper, A4 by default. The @page size of the page is ignored. Default: `false` */
  readonly pdf_landscape?: boolean | undefined;
  /** Scale of the print. Default: `1` */
  readonly pdf_scale?: number | undefined;
  /** Margins: one length for all sides, or one for each side. Unset: the @page margin of the page, or 1cm. With `default: true`, @page margins of the page win */
  readonly pdf_margin?:
    | number
    | string
    | {
        readonly top?: number | string | undefined;
        readonly right?: number | string | undefined;
        readonly bottom?: number | string | undefined;
        readonly left?: number | string | undefined;
        readonly default?: boolean | undefined;
      }
    | undefined;
  /** Paper width, instead of `pdf_format` */
  readonly pdf_width?: number | string | undefined;
  /** Paper height; needs `pdf_width` */
  readonly pdf_height?: number | string | undefined;
  /** Pages to print, in the order of the document. A range may end after the last page */
  readonly pdf_page_ranges?: string | undefined;
  /** Print the whole page on one sheet. The sheet is as wide as `pdf_width`, `pdf_format` or A4, and as tall as the page. Default: `false` */
  readonly pdf_single_page?: boolean | undefined;
  /** Markup above each page. Default text size: 10 px. Classes `date title url pageNumber totalPages` are filled in. No scripts, nothing from the network: pictures as `data:` */
  readonly pdf_header_html?: string | undefined;
  /** Markup below each page, with the same rules as `pdf_header_html` */
  readonly pdf_footer_html?: string | undefined;
  /** Add bookmarks from the headings. Default: `false` */
  readonly pdf_outline?: boolean | undefined;
  /** Add accessibility tags for headings, lists and tables. `pdf_outline` needs them. Default: `true` */
  readonly pdf_tagged?: boolean | undefined;
  /** Title of the document. Unset: the title of the page */
  readonly pdf_title?: string | undefined;
  /** Author of the document */
  readonly pdf_author?: string | undefined;
  /** Subject of the document */
  readonly pdf_subject?: string | undefined;
  /** Keywords of the document */
  readonly pdf_keywords?: string | undefined;
  /** Quality of opaque photographs that the browser would store without loss: rotated ones, and those of webp, avif, png and CMYK. Unset: without loss, which takes several times the bytes */
  readonly pdf_image_quality?: number | undefined;
  /** Text across each sheet, over the content. It is drawn as paths, so search and copying do not find it */
  readonly pdf_watermark?: string | undefined;
  /** Standards that the document meets: `PDF/A-2b` or `PDF/A-3b` for archives, `PDF/UA-1` for screen readers. `PDF/A-3b` may have attachments. A page that cannot meet them is an error */
  readonly pdf_standard?: readonly ('PDF/A-2b' | 'PDF/A-3b' | 'PDF/UA-1')[] | undefined;
  /** Files inside of the document. `file` names a part of `files`. With `pdf_standard: ["PDF/A-3b"]`, an attachment `factur-x.xml` or `xrechnung.xml` makes an e-invoice */
  readonly pdf_attachments?:
    | readonly {
        readonly name: string;
        readonly base64?: string | undefined;
        readonly file?: string | undefined;
        readonly media_type?: string | undefined;
        /** What the file is */
        readonly description?: string | undefined;
        /** What the file is to the document. Default: `"unspecified"` */
        readonly relationship?: 'data' | 'source' | 'alternative' | 'supplement' | 'unspecified' | undefined;
      }[]
    | undefined;
  /** Password that opens the document (AES-256). Not accepted in signed links */
  readonly pdf_password?: string | undefined;
  /** Password that gives all rights to the document. Without `pdf_password`, everyone can open it. Not accepted in signed links */
  readonly pdf_owner_password?: string | undefined;
  /** What readers may do who do not know `pdf_owner_password`; unset: everything. Programs decide whether to obey */
  readonly pdf_permissions?: readonly ('print' | 'copy' | 'modify' | 'annotate')[] | undefined;
  /** Lay a book out before it is printed, by the rules of CSS for paged media that browsers lack: `target-counter`, `leader`, `string-set`, `position: running()`, footnotes, left and right sheets, page counters, bleed and marks. Not with `pdf_single_page`, `pdf_header_html` and `pdf_footer_html`. Default: `false` */
  readonly paged_media?: boolean | undefined;
  /** Markdown of the main content only, as in a reader view. false: markdown of the whole visible page. Default: `true` */
  readonly main_content?: boolean | undefined;
  /** Pictures in markdown: as links, their alternative text alone, or left out. Default: `"keep"` */
  readonly markdown_images?: 'keep' | 'alt' | 'none' | undefined;
  /** Markdown of the text that a person can see only: without text that is transparent, tiny, covered, clipped, outside of the page or in the colour of its background, and without alternative texts. `include: ["hidden_text"]` shows what was left out. Default: `false` */
  readonly visible_text?: boolean | undefined;
  /** Maximum age of a cached answer to the same request, in seconds. 0: always capture. Unset: `CACHE_TTL` */
  readonly cache_ttl?: number | undefined;
  /** Store the result as well. `X-Stored-Url` is a link to it; a JSON answer has `file.url` instead of `file.base64`. Default: `false` */
  readonly store?: boolean | undefined;
  /** Path of the stored result. An existing result is replaced. Unset: a new file in `~days/<year>/<month>/<day>` */
  readonly store_path?: string | undefined;
  /** File name in `Content-Disposition`. It is used as it is. Unset: `screenshot` with the extension of the format */
  readonly file_name?: string | undefined;
  /** `inline`: browsers show the result instead of saving it. Only for pictures, `pdf` and `markdown`. Default: `"attachment"` */
  readonly disposition?: 'attachment' | 'inline' | undefined;
}

/** The names of all fields. */
export const FIELD_NAMES = [
  'url',
  'html_content',
  'base_url',
  'files',
  'proxy',
  'format',
  'template',
  'data',
  'fail_on',
  'fail_on_resource_status',
  'fail_if_text',
  'fail_unless_text',
  'markdown_content',
  'file',
  'pdf_page',
  'response_type',
  'include',
  'extract',
  'full_page',
  'full_page_scroll',
  'full_page_max_height',
  'clip',
  'selector',
  'selector_all',
  'selector_each',
  'selector_padding',
  'device',
  'window_width',
  'window_height',
  'pixel_density',
  'is_mobile',
  'resize_width',
  'resize_height',
  'resize_fit',
  'actions',
  'wait_for_selector',
  'wait_for_selector_hidden',
  'wait_for_network',
  'wait_for_function',
  'delay_capture',
  'wait_for_timeout',
  'run_ahead',
  'disable_animations',
  'block_media',
  'block_ads',
  'block_trackers',
  'block_chats',
  'block_socials',
  'block_requests',
  'block_resources',
  'hide_selectors',
  'custom_css',
  'expand_content',
  'reproducible',
  'block_cookie_banners',
  'dark_mode',
  'reduced_motion',
  'media_type',
  'user_agent',
  'locale',
  'timezone',
  'has_touch',
  'javascript',
  'custom_headers',
  'cookies',
  'storage_state',
  'http_auth',
  'geolocation',
  'init_script',
  'custom_js',
  'ignore_https_errors',
  'fail_on_http_error',
  'fail_on_status',
  'omit_background',
  'image_quality',
  'color',
  'dither',
  'pdf_format',
  'pdf_print_background',
  'pdf_landscape',
  'pdf_scale',
  'pdf_margin',
  'pdf_width',
  'pdf_height',
  'pdf_page_ranges',
  'pdf_single_page',
  'pdf_header_html',
  'pdf_footer_html',
  'pdf_outline',
  'pdf_tagged',
  'pdf_title',
  'pdf_author',
  'pdf_subject',
  'pdf_keywords',
  'pdf_image_quality',
  'pdf_watermark',
  'pdf_standard',
  'pdf_attachments',
  'pdf_password',
  'pdf_owner_password',
  'pdf_permissions',
  'paged_media',
  'main_content',
  'markdown_images',
  'visible_text',
  'cache_ttl',
  'store',
  'store_path',
  'file_name',
  'disposition',
] as const;
