import type { HostileCase } from '../hostile-case.ts';

const LISTS = 'test/blocklists/hostile-lists.test.ts';
const LISTS_REGEX = 'test/blocklists/regex-cost.test.ts and test/blocklists/hostile-lists.test.ts';
const LISTS_CHANGE = 'test/blocklists/filter-lists.test.ts';
const WEBHOOKS = 'test/webhooks/deliver-webhook.test.ts';

/** Faults tried from outside of pages: files of the operator that somebody else writes, receivers of webhooks, markup of clients. */
export const FROM_OUTSIDE_CASES: readonly HostileCase[] = [
  {
    id: 'O01',
    title: 'a filter list that becomes a device or a pipe while the service runs: read no byte of it',
    elsewhere: LISTS,
  },
  { id: 'O02', title: 'a filter list of 100 GB: refused by its size, not read', elsewhere: LISTS },
  {
    id: 'O03',
    title: 'a filter list with a line of 20 million characters: the line is left out',
    elsewhere: LISTS,
  },
  { id: 'O04', title: 'filter lists that include themselves: includes are ignored', elsewhere: LISTS },
  { id: 'O05', title: 'conditions, brackets and choices, nested 20,000 to 100,000 deep', elsewhere: LISTS },
  {
    id: 'O06',
    title: 'expressions of a filter list that match for ever (ReDoS): left out',
    elsewhere: LISTS_REGEX,
  },
  { id: 'O07', title: 'a binary filter list, and one in 16 bits: refused', elsewhere: LISTS },
  {
    id: 'O08',
    title: 'a filter list that changes while it is read: read again once it is steady',
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
    title: 'a webhook to a name that turns private after it was vetted: the vetted address is dialled',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O12',
    title: 'a webhook to a name that turns private before the next attempt: the webhook ends',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O13',
    title: 'a receiver that redirects a webhook to a private address: not followed',
    elsewhere: WEBHOOKS,
  },
  {
    id: 'O14',
    title: '29 mutations of the markup of a header: nothing runs or loads',
    elsewhere: 'test/integration/header-markup.test.ts',
  },
  {
    id: 'O15',
    title: '25 kinds of documents without root, body or head, in 8 forms of capture',
    elsewhere: 'test/integration/broken-documents.test.ts',
  },
  {
    id: 'O16',
    title:
      'X-Forwarded-For without TRUST_PROXY, also twice, X-Real-IP, Forwarded, CF-Connecting-IP, True-Client-IP: one bucket',
    elsewhere: 'test/integration/limits.test.ts',
  },
  {
    id: 'O17',
    title:
      'one address spelled with ports, brackets, zones, in capitals, mapped in hex and dotted, 6to4, NAT64: one bucket',
    elsewhere: 'test/http/request/client-name.test.ts',
  },
  {
    id: 'O18',
    title:
      'X-Forwarded-Proto, -Host, Host and Forwarded with schemes, lists, paths and ports that are none, in links',
    elsewhere: 'test/http/request/own-address.test.ts',
  },
  {
    id: 'O19',
    title:
      'bodies that never come behind 401, 403, 404, 405, 413, 415, 429 and 503, with and without Expect: answered at once',
    elsewhere: 'test/http/answers/linger.test.ts',
  },
  {
    id: 'O20',
    title: 'clients that capture without a pause, against one job: it gets one slot in half a minute',
    elsewhere: 'test/browser/pool/fair-queue.test.ts',
  },
  {
    id: 'O21',
    title: 'answers that nobody reads, of captures, MCP, files and lists: bounded together, and given up',
    elsewhere: 'test/http/answers/send-body.test.ts and test/http/connections.test.ts',
  },
  {
    id: 'O22',
    title: 'tools called by MCP beside /capture: one bucket',
    elsewhere: 'test/http/routes/mcp.test.ts',
  },
];
