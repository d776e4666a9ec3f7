// Written by `npm run docs` from the schema of src/capture/request/options.ts.

/** The fields of a capture. Exactly one of `url` and `html_content` is required. */
export interface CaptureFields {
  /** The page to capture */
  readonly url?: string | undefined;
  /** Markup to capture instead of an address; relative links in it lead nowhere */
  readonly html_content?: string | undefined;
  /** What to make of the page. Default: `"png"` */
  readonly format?: 'png' | 'jpeg' | 'webp' | 'avif' | 'pdf' | 'html' | 'markdown' | 'mhtml' | undefined;
  /** What the answer is: the file, or JSON with the file in it (base64), what `include` names, and what the headers tell. Default: `"file"` */
  readonly response_type?: 'file' | 'json' | undefined;
  /** What a json answer has beside the file, of the same rendering and the same moment. Needs `response_type=json` */
  readonly include?:
    | readonly ('metadata' | 'html' | 'markdown' | 'links' | 'console' | 'network' | 'accessibility')[]
    | undefined;
  /** Capture the whole scrollable page. Default: `false` */
  readonly full_page?: boolean | undefined;
  /** Scroll through the page first when all of it is captured, so that lazy content loads. Default: `true` */
  readonly full_page_scroll?: boolean | undefined;
  /** Cut the picture of a whole page at this height, in CSS pixels */
  readonly full_page_max_height?: number | undefined;
  /** Capture only this rectangle of the whole page, in CSS pixels */
  readonly clip?:
    { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | undefined;
  /** Capture only the first element that matches this CSS selector */
  readonly selector?: string | undefined;
  /** Viewport width in CSS pixels. Default: `1280` */
  readonly window_width?: number | undefined;
  /** Viewport height in CSS pixels. Default: `720` */
  readonly window_height?: number | undefined;
  /** Device pixels for each CSS pixel. Default: `1` */
  readonly pixel_density?: number | undefined;
  /** Whether the window is that of a phone: the viewport that the page itself declares counts. Default: `false` */
  readonly is_mobile?: boolean | undefined;
  /** Make the picture so wide, in device pixels, in proportion; one that is smaller stays as it is */
  readonly resize_width?: number | undefined;
  /** Make the picture so high, in the same way; with both the picture fits into that box */
  readonly resize_height?: number | undefined;
  /** What to do where the proportions of the box are others, needs both sides: `inside`: the picture is smaller than the box; `cover`: it is cropped to the proportions of the box, from the top; `contain`: it is put in the middle of the box, on white, or on nothing with `omit_background`. Default: `"inside"` */
  readonly resize_fit?: 'inside' | 'cover' | 'contain' | undefined;
  /** What to do on the page once it has loaded, one after the other, before the waits that follow: as a visitor would, with mouse and keys. Each waits for its element to be visible, at rest, and not covered (`wait_for_timeout`) */
  readonly actions?:
    | readonly (
        | {
            readonly type: 'click';
            /** CSS selector of what to click */
            readonly selector: string;
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'hover';
            /** CSS selector of what to move to */
            readonly selector: string;
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'type';
            /** CSS selector of the field */
            readonly selector?: string | undefined;
            /** What to type: key by key, a line break is Enter; more than 500 characters come at once, as when they are pasted. For fields of a date, a time or a colour: the value, such as `2026-11-22` */
            readonly text: string;
            /** Take away what is there first. Default: `false` */
            readonly clear?: boolean | undefined;
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'press';
            /** Its name, such as `Enter`, `Escape`, `Shift+Tab`, `Control+A` */
            readonly key: string;
          }
        | {
            readonly type: 'select';
            /** CSS selector of the select field */
            readonly selector: string;
            /** The values of the options, or what they say; several where the field takes several */
            readonly values: readonly string[];
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'check';
            /** CSS selector of what to switch */
            readonly selector: string;
            /** Whether it is to be on. Default: `true` */
            readonly checked?: boolean | undefined;
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'scroll';
            /** CSS selector of what to bring into view */
            readonly selector?: string | undefined;
            /** An end of the page */
            readonly to?: 'top' | 'bottom' | undefined;
            /** CSS pixels from the edge of the page */
            readonly x?: number | undefined;
            /** CSS pixels from the edge of the page */
            readonly y?: number | undefined;
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'wait';
            /** How long, for us and for the page */
            readonly milliseconds?: number | undefined;
            /** CSS selector of what to wait for */
            readonly selector?: string | undefined;
            /** Go on without it when its element is not ready in time. Default: `false` */
            readonly optional?: boolean | undefined;
          }
        | {
            readonly type: 'goto';
            /** Its address */
            readonly url: string;
          }
      )[]
    | undefined;
  /** Wait until an element that matches this CSS selector is in the document, its open shadow trees or its frames of the same origin, once the time of the page has run ahead (`run_ahead`) */
  readonly wait_for_selector?: string | undefined;
  /** Wait until nothing (`idle`), or at most two requests (`mostly_idle`), has been in flight for 500 ms */
  readonly wait_for_network?: 'idle' | 'mostly_idle' | undefined;
  /** Wait until this JavaScript expression, or the function that it is, gives something truthy, after the scroll of a full page. It sees the variables of the page */
  readonly wait_for_function?: string | undefined;
  /** Pause in milliseconds, for us and for the page, when all waits are over and before the capture. Default: `0` */
  readonly delay_capture?: number | undefined;
  /** The longest that each wait (page load, network, element, function, script) may take, in milliseconds. A maximum, not a pause. Default: `30000` */
  readonly wait_for_timeout?: number | undefined;
  /** Milliseconds by which the page's own time (timers, frames, `Date`) may run ahead of ours after load, as fast as it can and for 4 s of ours at most: preloaders, charts and typed text come to their end. It ends early when nothing is left to happen. On a whole page, each screen gets 300 ms more. The waits that follow run at the pace of the clock. 0: not at all. Default: `2500` */
  readonly run_ahead?: number | undefined;
  /** CSS and SVG animations and transitions that have an end are shown at their end, endless ones as if they were not there, videos at their first frame, and no text cursor. Animated pictures are shown at their first frame either way, and SVG files in pictures stand still. Default: `true` */
  readonly disable_animations?: boolean | undefined;
  /** Pictures, video and audio are not loaded. Default: `false` */
  readonly block_media?: boolean | undefined;
  /** Requests to known hosts of advertising are kept away. By host, as with the three that follow, and never of the site of the page itself; how many is in `X-Filtered-Requests`. Default: `false` */
  readonly block_ads?: boolean | undefined;
  /** Requests to known hosts of analytics and tag managers are kept away. Default: `false` */
  readonly block_trackers?: boolean | undefined;
  /** Requests to known hosts of chat and support bubbles are kept away. Default: `false` */
  readonly block_chats?: boolean | undefined;
  /** Requests to known hosts of social networks, their buttons and embedded posts, are kept away. Default: `false` */
  readonly block_socials?: boolean | undefined;
  /** Requests to addresses that match any of these patterns are kept away, but for the page itself. `*` stands for anything, everything else for itself; a pattern matches the whole address, as the browser writes it, without its `#…` */
  readonly block_requests?: readonly string[] | undefined;
  /** Requests of these kinds are kept away. `iframe` is the documents of frames; `other` what has no name of its own here, such as beacons, event sources and what is fetched ahead */
  readonly block_resources?:
    | readonly (
        | 'image'
        | 'media'
        | 'font'
        | 'stylesheet'
        | 'script'
        | 'xhr'
        | 'fetch'
        | 'websocket'
        | 'iframe'
        | 'other'
      )[]
    | undefined;
  /** Elements that match any of these CSS selectors are taken off the page, as with `display: none` */
  readonly hide_selectors?: readonly string[] | undefined;
  /** Style rules laid over the page, its frames of the same origin and its open shadow trees once it has loaded. No effect on the `html` format */
  readonly custom_css?: string | undefined;
  /** Cookie banners are refused as a visitor would refuse them, and taken off the page where they can't be. Nothing is ever accepted. Default: `false` */
  readonly block_cookie_banners?: boolean | undefined;
  /** What the page learns from `prefers-color-scheme`: true is `dark`, false `light` */
  readonly dark_mode?: boolean | undefined;
  /** What the page learns from `prefers-reduced-motion`: true is `reduce`, false `no-preference` */
  readonly reduced_motion?: boolean | undefined;
  /** The style rules that apply, whatever the format: by default those for print in a pdf */
  readonly media_type?: 'screen' | 'print' | undefined;
  /** The User-Agent header, and what script reads as `navigator.userAgent` */
  readonly user_agent?: string | undefined;
  /** Language of the visitor: the Accept-Language header, `navigator.language`, dates, numbers. Without it: DEFAULT_LOCALE */
  readonly locale?: string | undefined;
  /** Time zone of the visitor. Without it: DEFAULT_TIMEZONE */
  readonly timezone?: string | undefined;
  /** Whether the screen can be touched. Default: `false` */
  readonly has_touch?: boolean | undefined;
  /** Whether the scripts of the page run. Default: `true` */
  readonly javascript?: boolean | undefined;
  /** Request headers for the origin of `url` alone: no other server gets them, after a redirect neither */
  readonly custom_headers?: Readonly<Record<string, string>> | undefined;
  /** Cookies that the browser has before it requests the page. They are sent to the host of `url` on any port and over http and https, as in browsers; `secure` limits a cookie to https */
  readonly cookies?:
    | readonly {
        /** Its name */
        readonly name: string;
        readonly value: string;
        /** The host of `url` or a parent of it, subdomains included; by default the host alone */
        readonly domain?: string | undefined;
        /** Beginning of the paths that get it. Default: `"/"` */
        readonly path?: string | undefined;
        /** Over https alone. Default: `false` */
        readonly secure?: boolean | undefined;
        /** Not for scripts. Default: `false` */
        readonly http_only?: boolean | undefined;
        /** Whether other sites may cause it to be sent */
        readonly same_site?: 'strict' | 'lax' | 'none' | undefined;
        /** Unix seconds */
        readonly expires?: number | undefined;
      }[]
    | undefined;
  /** The answer when a server at the origin of `url` asks for a password (HTTP authentication); no other server gets it */
  readonly http_auth?:
    | {
        /** The name */
        readonly username: string;
        /** The password */
        readonly password: string;
      }
    | undefined;
  /** Where the visitor is, for a page that asks. The origin of `url` has the permission, no other; as in any browser, only pages over https or of this machine may ask */
  readonly geolocation?:
    | {
        /** Degrees, north is positive */
        readonly latitude: number;
        /** Degrees, east is positive */
        readonly longitude: number;
        /** Metres. Default: `10` */
        readonly accuracy?: number | undefined;
      }
    | undefined;
  /** Script that runs among the scripts of the page once it has loaded, before the waits. What it awaits at its top is waited for */
  readonly custom_js?: string | undefined;
  /** Whether certificates are accepted that are expired, self-signed or for another host. Default: `false` */
  readonly ignore_https_errors?: boolean | undefined;
  /** Whether a page that answers with a status of 400 or more is an error instead of a capture. Default: `false` */
  readonly fail_on_http_error?: boolean | undefined;
  /** Leave out the white that browsers put behind a page: png, webp and avif become transparent there. Default: `false` */
  readonly omit_background?: boolean | undefined;
  /** Quality of jpeg, webp and avif, each on its own scale: avif looks at 60 as the others do at 90. Default: `90` */
  readonly image_quality?: number | undefined;
  /** Paper of a pdf; unset: the page's own @page size, else A4 */
  readonly pdf_format?: string | undefined;
  /** Background colours and pictures are printed. Default: `true` */
  readonly pdf_print_background?: boolean | undefined;
  /** The longer side of the paper lies across, A4 unless it is named; the page's own @page size counts no more. Default: `false` */
  readonly pdf_landscape?: boolean | undefined;
  /** How large the page is printed on its paper. Default: `1` */
  readonly pdf_scale?: number | undefined;
  /** What is left free around the page, on all sides or by side. Unset: the page's own @page margin, else 0.4in; with a header or footer 1cm on that side */
  readonly pdf_margin?:
    | number
    | string
    | {
        readonly top?: number | string | undefined;
        readonly right?: number | string | undefined;
        readonly bottom?: number | string | undefined;
        readonly left?: number | string | undefined;
      }
    | undefined;
  /** Width of the paper, instead of `pdf_format` */
  readonly pdf_width?: number | string | undefined;
  /** Height of the paper, beside `pdf_width` */
  readonly pdf_height?: number | string | undefined;
  /** Which pages, in the order that they have. What ends past the last page ends with it */
  readonly pdf_page_ranges?: string | undefined;
  /** All on one sheet, as tall as the page is at the paper's width: that of `pdf_width`, `pdf_format` or A4. Default: `false` */
  readonly pdf_single_page?: boolean | undefined;
  /** Markup above each sheet, 10 px high unless it says otherwise. Classes `date title url pageNumber totalPages` are filled in. No scripts, nothing from the network: pictures as `data:` */
  readonly pdf_header_html?: string | undefined;
  /** Markup below each sheet, 10 px high unless it says otherwise. Classes `date title url pageNumber totalPages` are filled in. No scripts, nothing from the network: pictures as `data:` */
  readonly pdf_footer_html?: string | undefined;
  /** Bookmarks, made of the headings. Default: `false` */
  readonly pdf_outline?: boolean | undefined;
  /** What is a heading, a list or a table is told to those who read by ear; `pdf_outline` needs it. Default: `true` */
  readonly pdf_tagged?: boolean | undefined;
  /** Title of the document; unset: that of the page */
  readonly pdf_title?: string | undefined;
  /** Who wrote the document */
  readonly pdf_author?: string | undefined;
  /** What the document is about */
  readonly pdf_subject?: string | undefined;
  /** What the document is found by */
  readonly pdf_keywords?: string | undefined;
  /** Markdown of the main content, as a reader view shows it; false: of all that the page shows. Default: `true` */
  readonly main_content?: boolean | undefined;
  /** How old the answer may be, in seconds: the same request is answered from the cache for so long. 0: it is captured anew. Unset: `CACHE_TTL` */
  readonly cache_ttl?: number | undefined;
  /** Whether the result is kept in the storage of the service as well; `X-Stored-Url` is a link to it, in a json answer `file.url` in the place of `file.base64`. Default: `false` */
  readonly store?: boolean | undefined;
  /** Where it is kept; what was there is replaced. Unset: a new file in a folder of the day */
  readonly store_path?: string | undefined;
}

/** The names of all fields. */
export const FIELD_NAMES = [
  'url',
  'html_content',
  'format',
  'response_type',
  'include',
  'full_page',
  'full_page_scroll',
  'full_page_max_height',
  'clip',
  'selector',
  'window_width',
  'window_height',
  'pixel_density',
  'is_mobile',
  'resize_width',
  'resize_height',
  'resize_fit',
  'actions',
  'wait_for_selector',
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
  'http_auth',
  'geolocation',
  'custom_js',
  'ignore_https_errors',
  'fail_on_http_error',
  'omit_background',
  'image_quality',
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
  'main_content',
  'cache_ttl',
  'store',
  'store_path',
] as const;
