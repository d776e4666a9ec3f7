interface ResponseHeader {
  readonly name: string;
  /** Answers that have the header, for the documentation. */
  readonly on: string;
  readonly meaning: string;
  /**
   * False: CORS need not expose the header, because browsers have no use for it, or it is safelisted by the Fetch
   * standard.
   */
  readonly isExposed?: false;
  /** Type of the value. Default: text. */
  readonly type?: 'integer';
}

/** All headers that the API sets, except those of HTTP itself (Date, Connection, Content-Length) and of CORS. */
export const RESPONSE_HEADERS: readonly ResponseHeader[] = [
  {
    name: 'Content-Type',
    on: 'all',
    meaning: 'Media type of the format; `application/json` for `response_type=json`, errors and health',
    isExposed: false,
  },
  {
    name: 'Content-Disposition',
    on: 'captures',
    meaning:
      '`attachment`, or `inline` by `disposition`, with `file_name`, or `screenshot` and the extension of the format: `md` for markdown, `json` for `response_type=json`',
  },
  {
    name: 'Content-Security-Policy',
    on: 'html captures',
    meaning: "`sandbox`: browsers don't run the answer in your origin",
    isExposed: false,
  },
  {
    name: 'Cross-Origin-Resource-Policy',
    on: 'captures',
    meaning: '`cross-origin` for signed links: any page may show the result. Otherwise `same-origin`',
    isExposed: false,
  },
  {
    name: 'X-Request-Id',
    on: 'all',
    meaning: 'Id in the log. Clients may send their own (at most 128 of `A-Z a-z 0-9 _ . : -`)',
  },
  {
    name: 'X-Target-Status',
    on: 'captures of a `url`',
    meaning: 'Status of the page. A 404 page is captured like any other',
    type: 'integer',
  },
  {
    name: 'X-Target-Url',
    on: 'captures of a `url`',
    meaning: 'Final URL after redirects, encoded, at most 1,000 characters',
  },
  { name: 'X-Image-Width', on: 'pictures', meaning: 'Width in pixels', type: 'integer' },
  { name: 'X-Image-Height', on: 'pictures', meaning: 'Height in pixels', type: 'integer' },
  {
    name: 'X-Pdf-Scale',
    on: 'pdf captures, when scaled',
    meaning: 'Factor by which a page that is wider than its paper was scaled, for example `0.80`',
  },
  {
    name: 'X-Capture-Digest',
    on: 'captures with `reproducible`',
    meaning:
      'SHA-256 of what the result depends on: version and flags of service and browser, fonts, fields, and the bytes that the page has loaded',
  },
  {
    name: 'X-Capture-Warnings',
    on: 'captures, when any',
    meaning: 'Comma-separated warning codes, see below',
  },
  {
    name: 'X-Blocked-Requests',
    on: 'captures, when any',
    meaning: 'Number of connections that the egress rules refused',
    type: 'integer',
  },
  {
    name: 'X-Filtered-Requests',
    on: 'captures, when any',
    meaning: 'Number of requests that blocking fields such as `block_ads` blocked',
    type: 'integer',
  },
  {
    name: 'Server-Timing',
    on: 'captures, unless from the cache',
    meaning: 'Milliseconds of the phases `queue`, `navigate`, `ahead` (page time running ahead), `wait` and `render`',
  },
  {
    name: 'X-Cache',
    on: 'captures',
    meaning:
      '`HIT`: from the cache. `MISS`: captured, and shared with equal requests in flight. `BYPASS`: captured for this request alone, because `cache_ttl` is 0',
  },
  { name: 'Age', on: 'captures from the cache', meaning: 'Seconds since the capture' },
  {
    name: 'ETag',
    on: 'captures with a `cache_ttl`',
    meaning: 'Entity tag of the answer. A `GET` with it in `If-None-Match` gets 304 while the answer is unchanged',
  },
  {
    name: 'X-Stored-Url',
    on: 'captures with `store`',
    meaning: 'Link to the stored result, valid for `STORAGE_LINK_TTL` seconds',
  },
  {
    name: 'X-Stored-Path',
    on: 'captures with `store`',
    meaning: 'Path of the stored result: `store_path`, or a generated path',
  },
  {
    name: 'X-RateLimit-Limit',
    on: 'routes, when limited',
    meaning: 'Size of the token bucket: maximum number of requests at once',
    type: 'integer',
  },
  {
    name: 'X-RateLimit-Remaining',
    on: 'routes, when limited',
    meaning: 'Remaining requests',
    type: 'integer',
  },
  {
    name: 'X-RateLimit-Reset',
    on: 'routes, when limited',
    meaning: 'Unix second at which the bucket is full again',
    type: 'integer',
  },
  {
    name: 'X-Quota-Limit',
    on: 'answers to a key with a quota',
    meaning: 'Captures that the key may make in each period',
    type: 'integer',
  },
  {
    name: 'X-Quota-Remaining',
    on: 'answers to a key with a quota',
    meaning: 'Captures that are left in this period. Captures that wait or run are already subtracted',
    type: 'integer',
  },
  {
    name: 'X-Quota-Reset',
    on: 'answers to a key with a quota',
    meaning: 'Unix second at which the period ends',
    type: 'integer',
  },
  { name: 'Retry-After', on: '429 and 503', meaning: 'Seconds to wait, as `retry_after`', type: 'integer' },
  { name: 'Location', on: 'POST /jobs', meaning: 'Address of the job: `/jobs/<id>`' },
  { name: 'WWW-Authenticate', on: '401', meaning: '`Bearer`', isExposed: false },
  { name: 'Allow', on: '405', meaning: 'Methods of the path', isExposed: false },
  {
    name: 'Cache-Control',
    on: 'all',
    meaning: '`no-store`, or the lifetime for captures with a `cache_ttl`, at most that of the link',
    isExposed: false,
  },
  {
    name: 'Vary',
    on: 'captures with a `cache_ttl`, with `AUTH_TOKEN`',
    meaning: '`Authorization`: a cache must not send the answer to a client with another token',
    isExposed: false,
  },
  { name: 'X-Content-Type-Options', on: 'all', meaning: '`nosniff`', isExposed: false },
];
