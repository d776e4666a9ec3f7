interface ResponseHeader {
  readonly name: string;
  /** The answers that have it, for the documentation. */
  readonly on: string;
  readonly meaning: string;
  /** True if CORS must expose it: all but the safelisted headers of the Fetch standard. */
  readonly exposed: boolean;
  /** Default: text. */
  readonly type?: 'integer';
}

/** All headers that the API sets, except those of HTTP itself (Date, Connection, Content-Length) and of CORS. */
export const RESPONSE_HEADERS: readonly ResponseHeader[] = [
  {
    name: 'Content-Type',
    on: 'all',
    meaning: 'What the format says; `application/json` for `response_type=json`, errors and health',
    exposed: false,
  },
  {
    name: 'Content-Disposition',
    on: 'captures',
    meaning: '`attachment; filename=screenshot.<format>`; `screenshot.json` with `response_type=json`',
    exposed: true,
  },
  {
    name: 'Content-Security-Policy',
    on: 'html captures',
    meaning: '`sandbox`: a browser that opens the answer runs nothing of it in your origin',
    exposed: false,
  },
  {
    name: 'Cross-Origin-Resource-Policy',
    on: 'captures',
    meaning: '`cross-origin` when the link was signed: any page may show it. `same-origin` otherwise',
    exposed: false,
  },
  {
    name: 'X-Request-Id',
    on: 'all',
    meaning:
      'The id in the log. Send the header yourself (at most 128 of `A-Z a-z 0-9 _ . : -`) to choose it',
    exposed: true,
  },
  {
    name: 'X-Target-Status',
    on: 'captures of a `url`',
    meaning: 'Status with which the page answered: a 404 page is captured like any other',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'X-Target-Url',
    on: 'captures of a `url`',
    meaning: 'Where the page ended up after redirects, encoded, at most 1,000 characters',
    exposed: true,
  },
  { name: 'X-Image-Width', on: 'pictures', meaning: 'Width in pixels', exposed: true, type: 'integer' },
  { name: 'X-Image-Height', on: 'pictures', meaning: 'Height in pixels', exposed: true, type: 'integer' },
  {
    name: 'X-Capture-Warnings',
    on: 'captures, when any',
    meaning: 'Comma-separated codes of what ran out of time, see below',
    exposed: true,
  },
  {
    name: 'X-Blocked-Requests',
    on: 'captures, when any',
    meaning: 'How many connections of the page were refused because of where they went',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'X-Filtered-Requests',
    on: 'captures, when any',
    meaning:
      'How many requests of the page were kept away because the request asked for it (`block_ads` and its kin)',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'Server-Timing',
    on: 'captures, unless from the cache',
    meaning:
      'Milliseconds in `queue`, `navigate`, `ahead` (the time of the page that ran ahead), `wait` and `render`',
    exposed: true,
  },
  {
    name: 'X-Cache',
    on: 'captures',
    meaning:
      '`HIT`: from the cache. `MISS`: captured, for all who were waiting for it. `BYPASS`: captured for this request, as its `cache_ttl` is 0',
    exposed: true,
  },
  { name: 'Age', on: 'captures from the cache', meaning: 'Seconds since the capture', exposed: true },
  {
    name: 'ETag',
    on: 'captures with a `cache_ttl`',
    meaning:
      'Names the bytes of the answer: `GET` with it in `If-None-Match` gets 304 while they are the same',
    exposed: true,
  },
  {
    name: 'X-Stored-Url',
    on: 'captures with `store`',
    meaning: 'A link to the stored result, good for `STORAGE_LINK_TTL` seconds',
    exposed: true,
  },
  {
    name: 'X-Stored-Path',
    on: 'captures with `store`',
    meaning: 'Where it is stored: `store_path`, or the one that was made up',
    exposed: true,
  },
  {
    name: 'X-RateLimit-Limit',
    on: '/capture, /sign, /jobs and tools of /mcp, when limited',
    meaning: 'Requests that the bucket holds',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'X-RateLimit-Remaining',
    on: '/capture, /sign, /jobs and tools of /mcp, when limited',
    meaning: 'Requests left now',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'X-RateLimit-Reset',
    on: '/capture, /sign, /jobs and tools of /mcp, when limited',
    meaning: 'Unix second at which the bucket is full again',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'Retry-After',
    on: '429 and 503',
    meaning: 'Seconds to wait, as `retry_after`',
    exposed: true,
    type: 'integer',
  },
  {
    name: 'Location',
    on: 'POST /jobs',
    meaning: 'Where the job tells of itself: `/jobs/<id>`',
    exposed: true,
  },
  { name: 'WWW-Authenticate', on: '401', meaning: '`Bearer`', exposed: false },
  { name: 'Allow', on: '405', meaning: 'The methods that the path has', exposed: false },
  {
    name: 'Cache-Control',
    on: 'all',
    meaning:
      '`no-store`; on captures with a `cache_ttl` how long caches may keep them: no longer than that, nor than the link lasts',
    exposed: false,
  },
  { name: 'X-Content-Type-Options', on: 'all', meaning: '`nosniff`', exposed: false },
];
