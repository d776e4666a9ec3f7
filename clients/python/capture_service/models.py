"""Fields and errors of the service. Written by make_models.py from its OpenAPI document."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Mapping, Type, Union

from .errors import CaptureError

if sys.version_info >= (3, 11):
    from typing import Literal, Required, TypedDict
else:
    from typing_extensions import Literal, Required, TypedDict

Json = Any

class CaptureFieldsExtract2Fields2Fields2(TypedDict, total=False):
    selector: Required[str]
    attribute: str
    property: str
    all: bool
    type: Literal["text", "number", "boolean", "url", "html"]


class CaptureFieldsExtract2Fields2(TypedDict, total=False):
    selector: Required[str]
    attribute: str
    property: str
    all: bool
    type: Literal["text", "number", "boolean", "url", "html"]
    fields: Dict[str, Union[str, CaptureFieldsExtract2Fields2Fields2]]


class CaptureFieldsExtract2(TypedDict, total=False):
    selector: Required[str]
    attribute: str
    property: str
    all: bool
    type: Literal["text", "number", "boolean", "url", "html"]
    fields: Dict[str, Union[str, CaptureFieldsExtract2Fields2]]


class CaptureFieldsClip(TypedDict, total=False):
    x: Required[float]
    y: Required[float]
    width: Required[float]
    height: Required[float]


class CaptureFieldsActionsClick(TypedDict, total=False):
    type: Required[Literal["click"]]
    # CSS selector of the element to click
    selector: Required[str]
    # Skip the action if its element is not ready in time
    optional: bool


class CaptureFieldsActionsHover(TypedDict, total=False):
    type: Required[Literal["hover"]]
    # CSS selector of the element to hover
    selector: Required[str]
    # Skip the action if its element is not ready in time
    optional: bool


class CaptureFieldsActionsType(TypedDict, total=False):
    type: Required[Literal["type"]]
    # CSS selector of the field
    selector: str
    # Text to type, key by key; a line break is Enter. More than 500 characters are pasted. For date, time and colour
    # fields: the value, such as `2026-11-22`
    text: Required[str]
    # Clear the field first
    clear: bool
    # Skip the action if its element is not ready in time
    optional: bool


class CaptureFieldsActionsPress(TypedDict, total=False):
    type: Required[Literal["press"]]
    # Name of the key, such as `Enter`, `Escape`, `Shift+Tab`, `Control+A`
    key: Required[str]


class CaptureFieldsActionsSelect(TypedDict, total=False):
    type: Required[Literal["select"]]
    # CSS selector of the select field
    selector: Required[str]
    # Values or labels of the options; several for a multiple select
    values: Required[List[str]]
    # Skip the action if its element is not ready in time
    optional: bool


class CaptureFieldsActionsCheck(TypedDict, total=False):
    type: Required[Literal["check"]]
    # CSS selector of the element to switch
    selector: Required[str]
    # The state to set
    checked: bool
    # Skip the action if its element is not ready in time
    optional: bool


class CaptureFieldsActionsGoto(TypedDict, total=False):
    type: Required[Literal["goto"]]
    # Address of that page
    url: Required[str]


class CaptureFieldsCookies(TypedDict, total=False):
    # Its name
    name: Required[str]
    value: Required[str]
    # The host of `url` or a parent domain, which includes subdomains. Default: the host alone
    domain: str
    # Path prefix
    path: str
    # Send the cookie over https only
    secure: bool
    # Hide the cookie from scripts
    http_only: bool
    # SameSite attribute
    same_site: Literal["strict", "lax", "none"]
    # Unix seconds
    expires: float


class CaptureFieldsStorageStateCookies(TypedDict, total=False):
    name: Required[str]
    value: Required[str]
    domain: Required[str]
    path: str
    expires: float
    httpOnly: bool
    secure: bool
    sameSite: Literal["Strict", "Lax", "None"]
    partitionKey: str
    _crHasCrossSiteAncestor: bool


class CaptureFieldsStorageStateOriginsLocalstorage(TypedDict, total=False):
    name: Required[str]
    value: Required[str]


class CaptureFieldsStorageStateOrigins(TypedDict, total=False):
    origin: Required[str]
    localStorage: List[CaptureFieldsStorageStateOriginsLocalstorage]
    indexedDB: List[Json]


class CaptureFieldsStorageState(TypedDict, total=False):
    cookies: List[CaptureFieldsStorageStateCookies]
    origins: List[CaptureFieldsStorageStateOrigins]


class CaptureFieldsHttpAuth(TypedDict, total=False):
    # The name
    username: Required[str]
    # The password
    password: Required[str]


class CaptureFieldsGeolocation(TypedDict, total=False):
    # Degrees; north is positive
    latitude: Required[float]
    # Degrees; east is positive
    longitude: Required[float]
    # Metres
    accuracy: float


class CaptureFieldsPdfMargin3(TypedDict, total=False):
    top: Union[float, str]
    right: Union[float, str]
    bottom: Union[float, str]
    left: Union[float, str]
    default: bool


class CaptureFieldsPdfAttachments(TypedDict, total=False):
    name: Required[str]
    base64: str
    file: str
    media_type: str
    # What the file is
    description: str
    # What the file is to the document
    relationship: Literal["data", "source", "alternative", "supplement", "unspecified"]


class CaptureFields(TypedDict, total=False):
    """Fields of a capture. Contents of `files` are bytes."""

    # The page to capture
    url: str
    # HTML to capture instead of a URL. Relative links in it need `base_url` or `files`
    html_content: str
    # Base address of `html_content` or `markdown_content`: relative links are resolved against it, and scripts have
    # its origin. It is not requested
    base_url: str
    # Files that `html_content` or `markdown_content` loads by relative links, such as styles, fonts and pictures. No
    # other capture can load them. Or send them as parts of a `multipart/form-data` body
    files: Mapping[str, bytes]
    # Name of the outgoing proxy of `PROXIES` that all connections of the page go through. Replaces `EGRESS_PROXY`,
    # and `NO_PROXY` does not apply
    proxy: str
    # Output format
    format: Literal["png", "jpeg", "webp", "avif", "pdf", "html", "markdown", "mhtml", "single_html"]
    # Name of a template of `TEMPLATES_DIR`. It has its own page, or it is a preset of fields for a `url` or
    # `html_content`
    template: str
    # Values for the page of the template
    data: Dict[str, Json]
    # Reject the page after one of these failures. `http_error`: the page, a frame or a sub-resource answered with
    # status 400 or above. `request_failed`: a request got no answer. `console_error`: `console.error` or an uncaught
    # error, among the last 1,000 messages
    fail_on: List[Literal["http_error", "request_failed", "console_error"]]
    # Reject the page if a frame or a sub-resource answers with one of these statuses
    fail_on_resource_status: List[str]
    # Reject the page if it shows this text when it is ready. Upper and lower case matter; any white space is one
    # space
    fail_if_text: str
    # Reject the page unless it shows this text when it is ready
    fail_unless_text: str
    # Markdown to capture instead of a URL: CommonMark with tables, task lists, footnotes and alerts, shown with a
    # plain style. Front matter is left out, and HTML other than `<br>`, `<sub>` and `<sup>` is escaped
    markdown_content: str
    # Name of a PDF in `files` to capture instead of a URL. A `url` may be a PDF as well
    file: str
    # Page of a PDF that a picture shows, at `window_width`. Unset: the first. With `full_page`, a picture shows all
    # pages below each other
    pdf_page: int
    # Type of the answer: the file, or JSON with the file in base64, the parts of `include` and the metadata of the
    # headers
    response_type: Literal["file", "json"]
    # Additional parts of a JSON answer, of the same moment as the file. Needs `response_type=json`
    include: List[Literal["metadata", "html", "markdown", "hidden_text", "links", "console", "network", "accessibility", "extract", "storage_state"]]
    # Values to read from the page, by name: the text of the first match of a selector, as a person sees it. An object
    # reads an `attribute` or `property`, `all` matches, another `type`, or `fields` inside of each match. Nothing
    # found is `null`. Needs `response_type=json`
    extract: Dict[str, Union[str, CaptureFieldsExtract2]]
    # Capture the whole scrollable page
    full_page: bool
    # Scroll through a full page before the capture, so that lazy content loads
    full_page_scroll: bool
    # Maximum height of a full-page picture, in CSS pixels
    full_page_max_height: int
    # Capture only this rectangle of the whole page, in CSS pixels
    clip: CaptureFieldsClip
    # Capture only the first element that matches this CSS selector
    selector: str
    # Capture all matches of `selector`: the smallest area of the page that contains them, or the HTML or Markdown of
    # each
    selector_all: bool
    # Capture each match of `selector`: a picture of its own for each of the first 50. The answer is JSON with
    # `elements`, also without `response_type`
    selector_each: bool
    # Room around the area of `selector`, in CSS pixels, as far as the page reaches
    selector_padding: int
    # Show the page as on this device: window, density, touch, user agent. Fields of the request override it. `GET
    # /devices` lists the names
    device: str
    # Viewport width in CSS pixels
    window_width: int
    # Viewport height in CSS pixels
    window_height: int
    # Device pixels per CSS pixel
    pixel_density: float
    # Emulate a phone: the page's own viewport declaration applies
    is_mobile: bool
    # Scale the picture down to this width, in device pixels. Smaller pictures stay unchanged
    resize_width: int
    # Scale the picture down to this height, in device pixels. With both sides, it fits into that box
    resize_height: int
    # How the picture fits into the box of `resize_width` and `resize_height`. `inside`: the whole picture. `cover`:
    # cropped, from the top. `contain`: centred on white, or on transparency with `omit_background`
    resize_fit: Literal["inside", "cover", "contain"]
    # Actions on the page after load and before the waits, one after the other, with mouse and keyboard. A click,
    # hover or text waits up to `wait_for_timeout` until its element is visible, not moving and not covered
    actions: List[Union[CaptureFieldsActionsClick, CaptureFieldsActionsHover, CaptureFieldsActionsType, CaptureFieldsActionsPress, CaptureFieldsActionsSelect, CaptureFieldsActionsCheck, Union[Json, Union[Json]], Union[Json], CaptureFieldsActionsGoto]]
    # Wait until an element matches this CSS selector in the document, its open shadow trees or same-origin frames.
    # Starts after `run_ahead`, and holds until after the scroll of a whole page or an element
    wait_for_selector: str
    # Wait until no visible element matches this CSS selector, for example a spinner. Elements without size, with
    # `visibility: hidden` or `opacity: 0` are not visible
    wait_for_selector_hidden: str
    # Wait until no request (`idle`), or at most two (`mostly_idle`), have been in flight for 500 ms
    wait_for_network: Literal["idle", "mostly_idle"]
    # Wait until this JavaScript expression or function of the page returns a truthy value, after a full page was
    # scrolled. If it becomes true after load, the capture waits for no other requests
    wait_for_function: str
    # Pause after all waits and before the capture, in milliseconds of real time
    delay_capture: int
    # Time limit of each wait (page load, network, elements, function, script), in milliseconds. A maximum, not a
    # pause
    wait_for_timeout: int
    # Milliseconds of page time (timers, animation frames, `Date`) to run ahead after load, in at most 4 s of real
    # time, so that preloaders, charts, intros and typed text are finished. Stops early when nothing is pending. By
    # default, the part after 2,500 ms takes at most 1 s of real time. Each screen of a full page gets 400 ms more. 0:
    # off
    run_ahead: int
    # Show finite CSS and SVG animations and transitions at their end, endless ones where they are most visible,
    # videos and animated pictures at their first frame, and no text cursor. `false` lets all but pictures move
    disable_animations: bool
    # Don't load pictures, video and audio
    block_media: bool
    # Block requests to known advertising hosts. This field and the next three block by host, and never block the site
    # of the page itself. `X-Filtered-Requests` counts them
    block_ads: bool
    # Block requests to known hosts of analytics and tag managers
    block_trackers: bool
    # Block requests to known hosts of chat and support widgets
    block_chats: bool
    # Block requests to known hosts of social networks, including buttons and embedded posts
    block_socials: bool
    # Block requests whose URL matches any of these patterns, except for the page itself. `*` matches anything; no
    # other character is special. A pattern must match the whole URL without its fragment. Of a longer URL, the first
    # and the last 8,192 characters count
    block_requests: List[str]
    # Block requests of these types. `iframe`: documents in frames. `other`: types without their own name, such as
    # beacons, event sources and prefetches
    block_resources: List[Literal["image", "media", "font", "stylesheet", "script", "xhr", "fetch", "websocket", "iframe", "other"]]
    # Hide elements that match any of these CSS selectors, with `display: none`
    hide_selectors: List[str]
    # CSS to add to the page, its same-origin frames and open shadow trees after load. `@import` is ignored: use
    # `@font-face` for a web font. No effect on the `html` format
    custom_css: str
    # For pdf and pictures: show closed `<details>`, scrolled boxes, fields of several lines and same-origin frames at
    # their whole height
    expand_content: bool
    # Same page, same bytes: the time of the page begins on 1 January 2025, 12:00 UTC, its random numbers are the same
    # each time, and the file has no varying dates and ids. `X-Capture-Digest` changes with the page, the options and
    # the service. Shared workers and service workers keep their own time. Not with passwords
    reproducible: bool
    # Reject cookie banners, and remove those that can't be rejected. Nothing is ever accepted
    block_cookie_banners: bool
    # Value of `prefers-color-scheme`: true is `dark`, false is `light`
    dark_mode: bool
    # Value of `prefers-reduced-motion`: true is `reduce`, false is `no-preference`
    reduced_motion: bool
    # CSS media type for any format. Default: `print` for pdf, otherwise `screen`
    media_type: Literal["screen", "print"]
    # User-Agent header and `navigator.userAgent`. Unset: DEFAULT_USER_AGENT
    user_agent: str
    # Language of the page's visitor: Accept-Language header, `navigator.language`, dates, numbers. Unset:
    # DEFAULT_LOCALE
    locale: str
    # Time zone of the page's visitor. Unset: DEFAULT_TIMEZONE
    timezone: str
    # Emulate a touch screen beside the mouse. Phones (`is_mobile`) have one instead
    has_touch: bool
    # Run the scripts of the page
    javascript: bool
    # Request headers, sent only to the origin of `url`, also after a redirect
    custom_headers: Dict[str, str]
    # Cookies to set before the page is requested. They are sent to the host of `url` on any port, over http and
    # https, as in browsers; `secure` limits a cookie to https
    cookies: List[CaptureFieldsCookies]
    # Log-in state in the form of Playwright: cookies, and local storage by origin. It is set once, before the page is
    # requested, only for the domains and origins that it names
    storage_state: CaptureFieldsStorageState
    # Credentials for HTTP authentication, sent only to the origin of `url`
    http_auth: CaptureFieldsHttpAuth
    # Position that the page gets from the geolocation API. Only the origin of `url` has the permission. As in
    # browsers, the page must use https or be on this machine
    geolocation: CaptureFieldsGeolocation
    # JavaScript that runs in each document of the origin of `url` (or `base_url`) before its own scripts: after a
    # navigation and in frames, too. It sets flags, stubs and storage that the page reads at its start
    init_script: str
    # JavaScript to run in the page after load, before the waits. Top-level await is supported
    custom_js: str
    # Accept certificates that are expired, self-signed or for another host
    ignore_https_errors: bool
    # Return an error if the page answers with status 400 or above
    fail_on_http_error: bool
    # Return an error if the page answers with one of these statuses. `5xx` means 500 to 599
    fail_on_status: List[str]
    # Omit the white background of the browser: png, webp and avif become transparent
    omit_background: bool
    # Quality of jpeg, webp and avif. The scales differ: avif at 60 looks like the others at 90
    image_quality: int
    # Colours of a picture. `full`: all. `gray`: 256 grays, with 8 bits a pixel. `mono`: black and white, with 1 bit a
    # pixel, png only, for e-paper
    color: Literal["full", "gray", "mono"]
    # Show the grays of `mono` as patterns of black and white. `false`: what is darker than the middle is black
    dither: bool
    # Paper size. Unset: the @page size of the page, or A4
    pdf_format: str
    # Print background colours and pictures
    pdf_print_background: bool
    # Landscape paper, A4 by default. The @page size of the page is ignored
    pdf_landscape: bool
    # Scale of the print
    pdf_scale: float
    # Margins: one length for all sides, or one for each side. Unset: the @page margin of the page, or 1cm. With
    # `default: true`, @page margins of the page win
    pdf_margin: Union[float, str, CaptureFieldsPdfMargin3]
    # Paper width, instead of `pdf_format`
    pdf_width: Union[float, str]
    # Paper height; needs `pdf_width`
    pdf_height: Union[float, str]
    # Pages to print, in the order of the document. A range may end after the last page
    pdf_page_ranges: str
    # Print the whole page on one sheet. The sheet is as wide as `pdf_width`, `pdf_format` or A4, and as tall as the
    # page
    pdf_single_page: bool
    # Markup above each page. Default text size: 10 px. Classes `date title url pageNumber totalPages` are filled in.
    # No scripts, nothing from the network: pictures as `data:`
    pdf_header_html: str
    # Markup below each page, with the same rules as `pdf_header_html`
    pdf_footer_html: str
    # Add bookmarks from the headings
    pdf_outline: bool
    # Add accessibility tags for headings, lists and tables. `pdf_outline` needs them
    pdf_tagged: bool
    # Title of the document. Unset: the title of the page
    pdf_title: str
    # Author of the document
    pdf_author: str
    # Subject of the document
    pdf_subject: str
    # Keywords of the document
    pdf_keywords: str
    # Quality of opaque photographs that the browser would store without loss: rotated ones, and those of webp, avif,
    # png and CMYK. Unset: without loss, which takes several times the bytes
    pdf_image_quality: int
    # Text across each sheet, over the content. It is drawn as paths, so search and copying do not find it
    pdf_watermark: str
    # Standards that the document meets: `PDF/A-2b` or `PDF/A-3b` for archives, `PDF/UA-1` for screen readers.
    # `PDF/A-3b` may have attachments. A page that cannot meet them is an error
    pdf_standard: List[Literal["PDF/A-2b", "PDF/A-3b", "PDF/UA-1"]]
    # Files inside of the document. `file` names a part of `files`. With `pdf_standard: ["PDF/A-3b"]`, an attachment
    # `factur-x.xml` or `xrechnung.xml` makes an e-invoice
    pdf_attachments: List[CaptureFieldsPdfAttachments]
    # Password that opens the document (AES-256). Not accepted in signed links
    pdf_password: str
    # Password that gives all rights to the document. Without `pdf_password`, everyone can open it. Not accepted in
    # signed links
    pdf_owner_password: str
    # What readers may do who do not know `pdf_owner_password`; unset: everything. Programs decide whether to obey
    pdf_permissions: List[Literal["print", "copy", "modify", "annotate"]]
    # Lay a book out before it is printed, by the rules of CSS for paged media that browsers lack: `target-counter`,
    # `leader`, `string-set`, `position: running()`, footnotes, left and right sheets, page counters, bleed and marks.
    # Not with `pdf_single_page`, `pdf_header_html` and `pdf_footer_html`
    paged_media: bool
    # Markdown of the main content only, as in a reader view. false: markdown of the whole visible page
    main_content: bool
    # Pictures in markdown: as links, their alternative text alone, or left out
    markdown_images: Literal["keep", "alt", "none"]
    # Markdown of the text that a person can see only: without text that is transparent, tiny, covered, clipped,
    # outside of the page or in the colour of its background, and without alternative texts. `include:
    # ["hidden_text"]` shows what was left out
    visible_text: bool
    # Maximum age of a cached answer to the same request, in seconds. 0: always capture. Unset: `CACHE_TTL`
    cache_ttl: int
    # Store the result as well. `X-Stored-Url` is a link to it; a JSON answer has `file.url` instead of `file.base64`
    store: bool
    # Path of the stored result. An existing result is replaced. Unset: a new file in `~days/<year>/<month>/<day>`
    store_path: str
    # File name in `Content-Disposition`. It is used as it is. Unset: `screenshot` with the extension of the format
    file_name: str
    # `inline`: browsers show the result instead of saving it. Only for pictures, `pdf` and `markdown`
    disposition: Literal["attachment", "inline"]


class ValidationError(CaptureError):
    """
    Malformed JSON, an unknown or invalid field, or an invalid selector. `error_details` names the field and the
    accepted values. 408: the request arrived too slowly. 431: its headers are too large
    """


class DestinationNotAllowedError(CaptureError):
    """The address of the page, or of a redirect, is private or denied by the settings"""


class ElementNotFoundError(CaptureError):
    """`selector` matches no element, or only invisible ones"""


class NotComparableError(CaptureError):
    """
    A side is no picture, is larger than `MAX_PIXELS`, or both have more than 100 million pixels together. With
    `align: rows`, the widths differ
    """


class ActionFailedError(CaptureError):
    """
    One of `actions` failed: its element was missing or not ready in time. `error_details` names the action and the
    reason
    """


class PageRejectedError(CaptureError):
    """
    The page has a failure of `fail_on`, shows `fail_if_text`, does not show `fail_unless_text`, or cannot meet
    `pdf_standard` or `paged_media`. `error_details` names the cause
    """


class PageStatusError(CaptureError):
    """The page answered with a status of `fail_on_status`. `message` has the status"""


class ResultTooLargeError(CaptureError):
    """
    The picture exceeds `MAX_PIXELS` or the limits of its format, a side of the pdf exceeds 14,400 pt, or the result
    exceeds `MAX_RESULT_BYTES`
    """


class AuthenticationError(CaptureError):
    """
    401: the request has no Authorization header and no signature. 403: the bearer token is wrong, or the key of a
    job has ended
    """


class InvalidSignatureError(CaptureError):
    """The signature is empty or wrong, or signed URLs are off"""


class SignatureExpiredError(CaptureError):
    """The link has expired: the time in `expires` has passed"""


class ScopeError(CaptureError):
    """The key may not do this. `error_details` names the missing scope"""


class FieldNotAllowedError(CaptureError):
    """The key, or a locked template, does not allow a field of the request. `error_details` names it"""


class CrossSiteRequestError(CaptureError):
    """
    The service requires no credential, and the request comes from a web page of another origin or names an unknown
    host. `error_details` names the setting that allows it
    """


class NotFoundError(CaptureError):
    """The service has no such path"""


class TemplateNotFoundError(CaptureError):
    """`template` names no template of `TEMPLATES_DIR`"""


class MethodNotAllowedError(CaptureError):
    """The path does not support this method. The `Allow` header lists the supported ones"""


class JobNotFinishedError(CaptureError):
    """The job has not finished, or was cancelled. `error_details` has its state"""


class WatchLimitError(CaptureError):
    """The service has `WATCH_MAX` watches already"""


class JobExpiredError(CaptureError):
    """The job finished longer ago than `JOB_RETENTION`, or its result was removed to make room for newer ones"""


class PayloadTooLargeError(CaptureError):
    """The body exceeds `MAX_BODY_BYTES`, or the `defaults` of a batch exceed it when copied to all captures"""


class UnsupportedMediaTypeError(CaptureError):
    """
    The body is compressed, in another charset, or its `Content-Type` is neither `application/json` nor, for a
    capture with files, `multipart/form-data`
    """


class IdempotencyError(CaptureError):
    """An `Idempotency-Key` was used for a different request within the last 24 hours"""


class RateLimitError(CaptureError):
    """Too many requests from this client. Retry after `retry_after` seconds"""


class QuotaExceededError(CaptureError):
    """The key has made all captures of its quota. Retry after `retry_after` seconds, when the next period begins"""


class NavigationError(CaptureError):
    """The page can't be loaded: DNS, connection, TLS, redirect loop or download. `message` has the reason"""


class TimeoutError(CaptureError):
    """The page load, a wait or the whole request took too long. `message` names it"""


class PageCrashedError(CaptureError):
    """
    The page crashed its tab or the browser twice, or produced too much protocol data: 64 MB in one address, name,
    header or message, 256 MB in total
    """


class TemplateError(CaptureError):
    """The template could not be rendered, or took longer than a second. `error_details` names template and line"""


class InternalServerError(CaptureError):
    """Any other fault of the service. The log has the details with the `request_id`"""


class StorageError(CaptureError):
    """
    The storage of results or jobs is full, unreachable, slow or refuses, after three tries. `error_details` has the
    reason
    """


class OverloadedError(CaptureError):
    """
    The queue or a memory limit is full, this client has too many requests or connections, or the browser is
    starting or shutting down. Retry after `retry_after` seconds
    """


FIELD_NAMES = (
    "url",
    "html_content",
    "base_url",
    "files",
    "proxy",
    "format",
    "template",
    "data",
    "fail_on",
    "fail_on_resource_status",
    "fail_if_text",
    "fail_unless_text",
    "markdown_content",
    "file",
    "pdf_page",
    "response_type",
    "include",
    "extract",
    "full_page",
    "full_page_scroll",
    "full_page_max_height",
    "clip",
    "selector",
    "selector_all",
    "selector_each",
    "selector_padding",
    "device",
    "window_width",
    "window_height",
    "pixel_density",
    "is_mobile",
    "resize_width",
    "resize_height",
    "resize_fit",
    "actions",
    "wait_for_selector",
    "wait_for_selector_hidden",
    "wait_for_network",
    "wait_for_function",
    "delay_capture",
    "wait_for_timeout",
    "run_ahead",
    "disable_animations",
    "block_media",
    "block_ads",
    "block_trackers",
    "block_chats",
    "block_socials",
    "block_requests",
    "block_resources",
    "hide_selectors",
    "custom_css",
    "expand_content",
    "reproducible",
    "block_cookie_banners",
    "dark_mode",
    "reduced_motion",
    "media_type",
    "user_agent",
    "locale",
    "timezone",
    "has_touch",
    "javascript",
    "custom_headers",
    "cookies",
    "storage_state",
    "http_auth",
    "geolocation",
    "init_script",
    "custom_js",
    "ignore_https_errors",
    "fail_on_http_error",
    "fail_on_status",
    "omit_background",
    "image_quality",
    "color",
    "dither",
    "pdf_format",
    "pdf_print_background",
    "pdf_landscape",
    "pdf_scale",
    "pdf_margin",
    "pdf_width",
    "pdf_height",
    "pdf_page_ranges",
    "pdf_single_page",
    "pdf_header_html",
    "pdf_footer_html",
    "pdf_outline",
    "pdf_tagged",
    "pdf_title",
    "pdf_author",
    "pdf_subject",
    "pdf_keywords",
    "pdf_image_quality",
    "pdf_watermark",
    "pdf_standard",
    "pdf_attachments",
    "pdf_password",
    "pdf_owner_password",
    "pdf_permissions",
    "paged_media",
    "main_content",
    "markdown_images",
    "visible_text",
    "cache_ttl",
    "store",
    "store_path",
    "file_name",
    "disposition",
)

ERROR_CLASSES: Dict[str, Type[CaptureError]] = {
    "ValidationError": ValidationError,
    "DestinationNotAllowedError": DestinationNotAllowedError,
    "ElementNotFoundError": ElementNotFoundError,
    "NotComparableError": NotComparableError,
    "ActionFailedError": ActionFailedError,
    "PageRejectedError": PageRejectedError,
    "PageStatusError": PageStatusError,
    "ResultTooLargeError": ResultTooLargeError,
    "AuthenticationError": AuthenticationError,
    "InvalidSignatureError": InvalidSignatureError,
    "SignatureExpiredError": SignatureExpiredError,
    "ScopeError": ScopeError,
    "FieldNotAllowedError": FieldNotAllowedError,
    "CrossSiteRequestError": CrossSiteRequestError,
    "NotFoundError": NotFoundError,
    "TemplateNotFoundError": TemplateNotFoundError,
    "MethodNotAllowedError": MethodNotAllowedError,
    "JobNotFinishedError": JobNotFinishedError,
    "WatchLimitError": WatchLimitError,
    "JobExpiredError": JobExpiredError,
    "PayloadTooLargeError": PayloadTooLargeError,
    "UnsupportedMediaTypeError": UnsupportedMediaTypeError,
    "IdempotencyError": IdempotencyError,
    "RateLimitError": RateLimitError,
    "QuotaExceededError": QuotaExceededError,
    "NavigationError": NavigationError,
    "TimeoutError": TimeoutError,
    "PageCrashedError": PageCrashedError,
    "TemplateError": TemplateError,
    "InternalServerError": InternalServerError,
    "StorageError": StorageError,
    "OverloadedError": OverloadedError,
}
