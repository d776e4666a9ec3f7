import type { HostileCase } from '../hostile-case.ts';

const LISTS = 'test/features/blocking/lists/hostile-lists.test.ts';
const LISTS_REGEX =
  'test/features/blocking/lists/regex-cost.test.ts and test/features/blocking/lists/hostile-lists.test.ts';
const LISTS_CHANGE = 'test/features/blocking/lists/filter-lists.test.ts';
const WEBHOOKS = 'test/parts/webhooks/deliver-webhook.test.ts';

/** Attacks that do not come from pages: untrusted filter lists, webhook receivers, markup of clients. */
export const FROM_OUTSIDE_CASES: readonly HostileCase[] = [
  {
    id: 'O01',
    title: 'a filter list that becomes a device or a pipe at run time: no byte is read',
    elsewhere: LISTS,
  },
  { id: 'O02', title: 'a filter list of 100 GB: refused by its size, not read', elsewhere: LISTS },
  {
    id: 'O03',
    title: 'a filter list with a line of 20 million characters: the line is left out',
    elsewhere: LISTS,
  },
  { id: 'O04', title: 'filter lists that include themselves: includes are ignored', elsewhere: LISTS },
  {
    id: 'O05',
    title: 'conditions, brackets and alternatives, nested 20,000 to 100,000 deep',
    elsewhere: LISTS,
  },
  {
    id: 'O06',
    title: 'expressions of a filter list with endless matching (ReDoS): left out',
    elsewhere: LISTS_REGEX,
  },
  { id: 'O07', title: 'a binary filter list, and one in UTF-16: refused', elsewhere: LISTS },
  {
    id: 'O08',
    title: 'a filter list that changes during the read: read again when it no longer changes',
    elsewhere: LISTS_CHANGE,
  },
  {
    id: 'O09',
    title: 'a webhook to a name with one private address among many, first or last',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O10',
    title: 'a webhook to a private address inside an IPv6 address: mapped, NAT64, 6to4',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O11',
    title: 'a webhook to a name that becomes private after the check: the checked address is used',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O12',
    title: 'a webhook to a name that becomes private before the next attempt: the webhook ends',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O13',
    title: 'a receiver that redirects a webhook to a private address: not followed',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O14',
    title: '29 mutations of PDF header markup: nothing runs or loads',
    elsewhere: 'test/integration/formats/header-markup.test.ts',
  },
  {
    id: 'O15',
    title: '25 kinds of documents without root, body or head, in 8 forms of capture',
    elsewhere: 'test/integration/formats/broken-documents.long.test.ts',
  },
  {
    id: 'O16',
    title:
      'X-Forwarded-For without TRUST_PROXY, also twice, X-Real-IP, Forwarded, CF-Connecting-IP, True-Client-IP: one bucket',
    elsewhere: 'test/integration/http/limits.test.ts',
  },
  {
    id: 'O17',
    title:
      'one address in many spellings (ports, brackets, zones, capitals, mapped in hex and dotted, 6to4, NAT64): one bucket',
    elsewhere: 'test/core/http/request/rate-limit-key.test.ts',
  },
  {
    id: 'O18',
    title: 'invalid schemes, lists, paths and ports in X-Forwarded-Proto, -Host, Host and Forwarded, for links',
    elsewhere: 'test/core/http/request/own-address.test.ts',
  },
  {
    id: 'O19',
    title:
      'bodies that never arrive after 401, 403, 404, 405, 413, 415, 429 and 503, with and without Expect: answered at once',
    elsewhere: 'test/core/http/answers/linger.test.ts',
  },
  {
    id: 'O20',
    title: 'clients that capture without a pause beside one job: the job gets a slot within half a minute',
    elsewhere: 'test/browser/pool/fair-queue.test.ts',
  },
  {
    id: 'O21',
    title: 'unread answers of captures, MCP, files and lists: one memory limit, then dropped',
    elsewhere: 'test/core/http/answers/send-body.test.ts and test/core/http/connections.test.ts',
  },
  {
    id: 'O22',
    title: 'MCP tools and /capture: one rate limit bucket',
    elsewhere: 'test/parts/mcp/mcp.test.ts',
  },
  {
    id: 'O23',
    title:
      'the wall clock jumps a day forward and back: jobs, webhooks, limits, refusals, probes and retries keep their durations',
    elsewhere:
      'test/parts/jobs/redis-clock.test.ts, test/parts/jobs/sqlite-store.test.ts and test/core/browser/host/clock-jumps.test.ts',
  },
  {
    id: 'O24',
    title:
      'a row of SQLite or a record in Redis that names a pending file and cannot be read: reported and counted once, the other files are checked',
    elsewhere: 'test/parts/jobs/unreadable-rows.test.ts and test/parts/jobs/redis-unreadable.test.ts',
  },
  {
    id: 'O25',
    title:
      'two services that start at once with one DATA_DIR: both start, each job runs once, both send the right result and link',
    elsewhere: 'test/integration/jobs/two-services.long.test.ts',
  },
  {
    id: 'O26',
    title:
      'a job that is cancelled through the service that does not run it: cancelled at once, no file stays, not even at store_path',
    elsewhere: 'test/integration/jobs/two-services.long.test.ts and test/parts/jobs/jobs.test.ts',
  },
  {
    id: 'O27',
    title:
      'sweeps of two processes beside running attempts of each other, and killed processes: files of running attempts stay, the others go',
    elsewhere: 'test/integration/jobs/jobs-killed.long.test.ts',
  },
  {
    id: 'O28',
    title:
      'an S3 service that is silent, hangs up, or answers 403, 404, 409, 500, 503 or 507 with codes of AWS and MinIO: a clear error in time',
    elsewhere: 'test/parts/storage/s3-faults.test.ts',
  },
  {
    id: 'O29',
    title: 'an S3 service that sends a file or an error byte by byte: a clear error in time',
    elsewhere: 'test/parts/storage/s3-faults.test.ts',
  },
  {
    id: 'O30',
    title:
      'an S3 service that redirects to another host (301, 302, 303, 307, 308): not followed, the target gets no request',
    elsewhere: 'test/parts/storage/s3-faults.test.ts',
  },
  {
    id: 'O31',
    title:
      'an S3 service that sends other bytes: cut, longer, a part, without a length, changed: an error, never a shorter or missing file',
    elsewhere: 'test/parts/storage/s3-faults.test.ts and test/parts/storage/checked-file.test.ts',
  },
  {
    id: 'O32',
    title:
      'a storage that does not answer beside captures: waiting results hold at most half of the memory for answers',
    elsewhere: 'test/parts/storage/storing.test.ts',
  },
  {
    id: 'O33',
    title:
      'If-None-Match without a token, with another token, with an expired link, with a link of another secret: an error without a tag',
    elsewhere: 'test/core/http/routes/cache-headers.test.ts',
  },
  {
    id: 'O34',
    title:
      'the cache of a browser after the token was changed: `Vary: Authorization` makes the browser request it again',
    elsewhere: 'test/core/http/routes/cache-headers.test.ts',
  },
  {
    id: 'O35',
    title:
      'a disk of DATA_DIR that becomes full while jobs run: /jobs answers the cause, captures go on, no job is lost, and jobs work again without a restart',
    elsewhere: 'test/integration/storage/full-disk.long.test.ts',
  },
  {
    id: 'O36',
    title:
      'the whole service under `faketime`, a day ahead, a day behind and back: jobs, captures, results and health go on',
    elsewhere: 'test/integration/service/clock-jumps.long.test.ts',
  },
  {
    id: 'O37',
    title:
      'a whole service whose bucket answers SlowDown, 403, full, redirects, hangs up or sends other bytes: captures go on, 502 with the cause, no job is lost',
    elsewhere: 'test/integration/storage/bucket-faults.long.test.ts',
  },
  {
    id: 'O38',
    title:
      'thousands of pipelined requests on one connection, and connections that never read: closed at the 17th request, other clients are answered',
    elsewhere: 'test/core/http/connections.test.ts',
  },
  {
    id: 'O39',
    title:
      'a request that stops in its body and never closes its side: 408, then the connection and its memory are freed',
    elsewhere: 'test/core/http/connections.test.ts',
  },
  {
    id: 'O40',
    title: 'forged links with long or many names: refused before an HMAC is computed',
    elsewhere: 'test/core/access/signature.test.ts',
  },
  {
    id: 'O41',
    title: 'an error after the headers of a result were set: it has none of them, so no cache keeps it as the picture',
    elsewhere: 'test/core/http/routes/cache-headers.test.ts',
  },
  {
    id: 'O42',
    title:
      'guessed tokens and links on every route: refused before they are compared, 32 answers a second for one address',
    elsewhere: 'test/core/http/guards/guesses.test.ts and test/core/http/guards/slow-refusals.test.ts',
  },
  {
    id: 'O43',
    title: 'health checks without a limit: they share one query of the job store',
    elsewhere: 'test/parts/jobs/guard-store.test.ts',
  },
  {
    id: 'O44',
    title:
      'one key that fills the queue of jobs by number or by size: 503, and half of the queue is left to the others',
    elsewhere: 'test/parts/jobs/job-store.test.ts',
  },
  {
    id: 'O45',
    title:
      'one key with thousands of jobs, jobs at its limit, or receivers that hang: other keys get slots and webhooks in turn',
    elsewhere: 'test/parts/jobs/job-store.test.ts and test/parts/jobs/jobs.test.ts',
  },
  {
    id: 'O46',
    title:
      'a signed link without fields whose body stores or replaces files: refused unless SIGNED_URL_ALLOW names the field',
    elsewhere: 'test/parts/storage/storing.test.ts',
  },
  {
    id: 'O47',
    title: 'readers of stored files and of results of jobs that take a byte now and then: one memory limit',
    elsewhere: 'test/parts/storage/storing.test.ts',
  },
  {
    id: 'O48',
    title: 'pages that reach a service without a token by 0.0.0.0, [::] or a mapped address: refused',
    elsewhere: 'test/core/http/guards/cross-site.test.ts',
  },
  {
    id: 'O49',
    title: 'jobs, links and webhooks to addresses outside `egress_allow` of their key: refused',
    elsewhere: 'test/integration/jobs/jobs-of-keys.test.ts and test/parts/webhooks/deliver-webhook.test.ts',
  },
  {
    id: 'O50',
    title: 'a folder on a network drive that hangs: calls end, then fail at once, and work again when it is back',
    elsewhere: 'test/parts/storage/with-time-limit.test.ts',
  },
  {
    id: 'O51',
    title: 'web pages whose name resolves to the address of METRICS_PORT: refused',
    elsewhere: 'test/integration/http/metrics.test.ts',
  },
];
