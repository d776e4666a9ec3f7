import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readError } from '../../support/errors.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { page, send, sendHtml } from '../../support/pages/exchange.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const TEXT_ERROR = 'must be text of 1 to 1000 characters that is not blank';
const SCRIPT_IN_FRAME = '<script>setTimeout(() => { throw new Error("in a frame") })</script>';

describe('fields that reject a page', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/rejected/with': ({ response, url }) => sendHtml(response, url.searchParams.get('body') ?? ''),
          '/rejected/gone': ({ response }) => send(response, { status: 410, type: 'text/html', body: 'gone' }),
          '/rejected/cut': ({ response }) => void response.destroy(),
          '/rejected/slow': () => undefined,
          '/rejected/throws': page({ body: SCRIPT_IN_FRAME }),
        },
      }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  const captureWith = (body: string, fields: object): Promise<CaptureAnswer> =>
    capture(service.url, {
      url: site.url(`/rejected/with?body=${encodeURIComponent(body)}`),
      format: 'html',
      ...fields,
    });
  it.each<[string, string, RegExp, string]>([
    ['http_error', 'a picture', /gone answered with status 410$/, '<img src=/rejected/gone>'],
    ['http_error', 'a frame', /gone answered with status 410$/, '<iframe src=/rejected/gone></iframe>'],
    ['http_error', 'a fetch', /gone answered with status 410$/, '<script>fetch("/rejected/gone")</script>'],
    ['request_failed', 'a cut answer', /cut \(empty response\)$/, '<img src=/rejected/cut>'],
    [
      'request_failed',
      'an address that is not allowed',
      /10\.1\.2\.3\/ \(not allowed\)$/,
      '<img src=http://10.1.2.3/>',
    ],
    ['console_error', 'console.error', /an entry$/, '<script>console.error("an entry")</script>'],
    ['console_error', 'an uncaught error', /Error: thrown$/, '<script>throw new Error("thrown")</script>'],
    [
      'console_error',
      'a rejected promise',
      /TypeError: late$/,
      '<script>Promise.reject(new TypeError("late"))</script>',
    ],
    ['console_error', 'a frame', /in a frame$/, '<iframe src=/rejected/throws></iframe>'],
  ])('fail_on %s: %s', async (failure, _case, details, body) => {
    const answer = await captureWith(body, { fail_on: [failure] });

    expect(detailsOf(answer)).toMatch(details);
    expect(detailsOf(answer)).toMatch(new RegExp(`^fail_on: ${failure}: `));
  });

  it('fail_on http_error: the page itself, by GET', async () => {
    const fields = new URLSearchParams({ url: site.url('/rejected/gone'), fail_on: '["http_error"]' });
    const answer = await fetch(`${service.url}/capture?${fields}`);

    expect(await answer.json()).toMatchObject({ error_type: 'PageRejectedError' });
  });

  it.each<[string, string, object]>([
    ['other failures', '<img src=/rejected/cut><script>throw 1</script>', { fail_on: ['http_error'] }],
    ["Chrome's own messages", '<img src=/rejected/gone>', { fail_on: ['console_error', 'request_failed'] }],
    ['a warning', '<script>console.warn("an entry")</script>', { fail_on: ['console_error'] }],
    [
      'requests that the page aborts',
      '<script>const c = new AbortController(); fetch("/rejected/slow", { signal: c.signal }).catch(() => 0); setTimeout(() => c.abort(), 50)</script>',
      { fail_on: ['request_failed', 'console_error'] },
    ],
    [
      'beacons',
      '<script>navigator.sendBeacon("/rejected/gone")</script>',
      { fail_on: ['http_error', 'request_failed'] },
    ],
    [
      'blocked requests',
      '<img src=/rejected/cut>',
      { fail_on: ['request_failed'], block_requests: ['*/rejected/cut'] },
    ],
    ['blocked types', '<img src=/rejected/cut>', { fail_on: ['request_failed'], block_resources: ['image'] }],
  ])('fail_on ignores %s', async (_case, body, fields) => {
    expect((await captureWith(body, fields)).status).toBe(200);
  });

  it.each<[string, string]>([
    ['over several elements and lines', '<p>Sold\n  <b>out</b> now</p>'],
    ['in an open shadow tree', '<template shadowrootmode=open><p>Sold out</p></template>'],
    ['in a frame', '<iframe srcdoc="<p>Sold out</p>"></iframe>'],
    ['after its time has run ahead', '<script>setTimeout(() => document.write("Sold out"), 900)</script>'],
  ])('judge the text of the page: %s', async (_case, body) => {
    const host = body.startsWith('<template') ? `<div>${body}</div>` : body;
    const refused = await captureWith(host, { fail_if_text: 'Sold  out' });
    const required = await captureWith(host, { fail_unless_text: 'Sold out' });

    expect(detailsOf(refused)).toBe('fail_if_text: the page shows "Sold out"');
    expect(required.status).toBe(200);
  });

  it.each<[string, string]>([
    ['other case', '<p>sold out</p>'],
    ['hidden', '<p hidden>Sold out</p><p style="visibility: hidden">Sold out</p>'],
    ['a script', '<script>const text = "Sold out"</script>'],
    ['a value', '<input value="Sold out"><textarea>Sold out</textarea>'],
    ['a hidden frame', '<iframe style="display: none" srcdoc="<p>Sold out</p>"></iframe>'],
    ['a hidden shadow tree', '<div hidden><template shadowrootmode=open>Sold out</template></div>'],
    ['two paragraphs with text between', '<p>Sold</p>not<p>out</p>'],
  ])('ignore text that nobody sees: %s', async (_case, body) => {
    const refused = await captureWith(body, { fail_if_text: 'Sold out' });
    const required = await captureWith(body, { fail_unless_text: 'Sold out' });

    expect(refused.status).toBe(200);
    expect(detailsOf(required)).toBe('fail_unless_text: the page does not show "Sold out"');
  });

  it.each([
    [['410'], '<img src=/rejected/gone>'],
    [['4xx'], '<iframe src=/rejected/gone></iframe>'],
  ])('fail_on_resource_status %j: %s', async (statuses, body) => {
    const answer = await captureWith(body, { fail_on_resource_status: statuses });

    expect(detailsOf(answer)).toMatch(/^fail_on_resource_status: .*gone answered with status 410$/);
  });

  it.each([
    ['another status', ['404'], '<img src=/rejected/gone>'],
    ['the page itself', ['2xx'], '<p>'],
  ])('fail_on_resource_status ignores %s', async (_what, statuses, body) => {
    expect((await captureWith(body, { fail_on_resource_status: statuses })).status).toBe(200);
  });

  it.each([[['410']], [['4xx']]])('fail_on_status %j of a page with status 410', async (statuses) => {
    const answer = await capture(service.url, { url: site.url('/rejected/gone'), fail_on_status: statuses });

    expect(answer.status).toBe(400);
    expect(readError(answer)).toMatchObject({ error_type: 'PageStatusError', message: expect.stringContaining('410') });
  });

  it('fail_on_status ignores other statuses', async () => {
    const fields = { url: site.url('/rejected/gone'), fail_on_status: ['404', '5xx'] };

    expect((await capture(service.url, fields)).status).toBe(200);
  });

  it('hides secrets of failed addresses', async () => {
    const answer = await captureWith('<img src="/rejected/gone?token=hidden-value">', {
      fail_on: ['http_error'],
    });

    expect(detailsOf(answer)).toContain('token=***');
  });

  it.each<[object, string]>([
    [{ fail_on: 'http_error' }, 'fail_on: must be a list of http_error, request_failed, console_error'],
    [{ fail_on: ['blank'] }, 'fail_on[0]: must be one of http_error, request_failed, console_error'],
    [{ fail_on: [] }, 'fail_on: must be a list of http_error, request_failed, console_error'],
    [{ fail_if_text: '' }, `fail_if_text: ${TEXT_ERROR}`],
    [{ fail_if_text: ' \n' }, `fail_if_text: ${TEXT_ERROR}`],
    [{ fail_unless_text: ' ' }, `fail_unless_text: ${TEXT_ERROR}`],
    [{ fail_unless_text: 'x'.repeat(1_001) }, `fail_unless_text: ${TEXT_ERROR}`],
  ])('are checked: %j', async (fields, details) => {
    const answer = await captureWith('', fields);

    expect(readError(answer)).toMatchObject({ error_type: 'ValidationError', error_details: details });
  });
});

/** Returns the details of a PageRejectedError. */
function detailsOf(answer: CaptureAnswer): unknown {
  const { error_type: type, error_details: details } = readError(answer);
  expect([answer.status, type]).toEqual([400, 'PageRejectedError']);
  return details;
}
