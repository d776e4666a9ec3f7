import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const MARKUP = { html_content: '<p>Text' };
const TOKEN = 'a-token-of-a-test';
const DEFAULTS = { format: 'jpeg', window_width: 200, window_height: 100 };

describe('DEFAULT_FIELDS', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(
      { DEFAULT_FIELDS: JSON.stringify(DEFAULTS), AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: 'a-secret-of-a-test' },
      { stores: true },
    );
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('apply to fields that a request leaves out', async () => {
    const [left, given] = await Promise.all([
      capture(service.url, MARKUP, { token: TOKEN }),
      capture(service.url, { ...MARKUP, format: 'png', window_width: 120 }, { token: TOKEN }),
    ]);

    expect([left, given].map(({ headers }) => [headers.get('content-type'), headers.get('x-image-width')])).toEqual([
      ['image/jpeg', '200'],
      ['image/png', '120'],
    ]);
  });

  it.each<[defaults: object, fields: object, headers: Readonly<Record<string, string>>]>([
    [{ window_width: 1440 }, { device: 'iPhone SE', format: 'png' }, { 'x-image-width': '640' }],
    [{ pdf_format: 'A3' }, { format: 'pdf', pdf_width: '90mm', pdf_height: '50mm' }, {}],
    [
      { disposition: 'inline', window_width: 90 },
      { format: 'html' },
      { 'content-disposition': 'attachment; filename=screenshot.html' },
    ],
    [{ disposition: 'inline' }, { response_type: 'json' }, {}],
    [{ pdf_single_page: true, pdf_format: 'A5' }, { format: 'pdf', pdf_page_ranges: '1' }, {}],
    [{ cookies: [{ name: 'a', value: 'b' }], color: 'gray' }, { format: 'pdf' }, {}],
    [{ javascript: false }, { custom_js: 'document.title = 1' }, {}],
    [{ selector: 'p', selector_all: true }, { format: 'pdf' }, {}],
  ])('give way to the request without a conflict: %j, %j', async (defaults, fields, headers) => {
    await using other = await startService({ DEFAULT_FIELDS: JSON.stringify(defaults) });
    const answer = await capture(other.url, { ...MARKUP, ...fields });

    expect([answer.status, answer.status === 200 ? '' : answer.body.toString()]).toEqual([200, '']);
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value);
    const wrong = await capture(other.url, { ...MARKUP, ...fields, pdf_outline: true, pdf_tagged: false });
    expect([wrong.status, wrong.body.toString()]).toEqual([400, expect.stringContaining('pdf_outline: needs')]);
  });

  it('apply to links and jobs', async () => {
    const signed = await post('/sign', { params: MARKUP });
    const job = await post('/jobs', { capture: MARKUP });

    const linked = await fetch(signed.signed_url);
    const result = await untilDone(job.id);

    expect([linked.headers.get('content-type'), result.headers.get('content-type')]).toEqual([
      'image/jpeg',
      'image/jpeg',
    ]);
  });

  it('never let a link store', async () => {
    await using storing = await startService(
      { DEFAULT_FIELDS: '{"store": true}', AUTH_TOKEN: TOKEN, URL_SIGNING_SECRET: 'a-secret-of-a-test' },
      { stores: true },
    );
    const signed = await fetch(`${storing.url}/sign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ params: MARKUP }),
    });
    const { signed_url: link }: { readonly signed_url: string } = await signed.json();

    const [byLink, byToken] = await Promise.all([fetch(link), capture(storing.url, MARKUP, { token: TOKEN })]);

    expect([byLink.status, byLink.headers.get('x-stored-path')]).toEqual([200, null]);
    expect(byToken.headers.get('x-stored-path')).toMatch(/^~days/);
    await eventually(() => {
      const short = storing.logs().filter(({ msg }) => msg.startsWith('a secret of fewer than 32 characters'));
      expect(short.map(({ setting }) => setting)).toEqual(['AUTH_TOKEN', 'URL_SIGNING_SECRET']);
    });
  });

  it.each([
    ['no JSON', '{', /DEFAULT_FIELDS: .*not a JSON object/],
    ['a list', '[]', /DEFAULT_FIELDS: .*not a JSON object/],
    ['an unknown field', '{"widow_width": 3}', /DEFAULT_FIELDS: widow_width: is not a known field/],
    ['a wrong value', '{"window_width": 0}', /DEFAULT_FIELDS: window_width: must be/],
    ['a page', '{"url": "https://example.com/"}', /DEFAULT_FIELDS: url: has no default/],
  ])('stop the start with %s', async (_what, DEFAULT_FIELDS, problem) => {
    await expect(startService({ DEFAULT_FIELDS })).rejects.toThrow(problem);
  });

  async function post(path: string, body: object) {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    });
    const json: { readonly signed_url: string; readonly id: string } = await answer.json();
    return json;
  }

  async function untilDone(id: string): Promise<Response> {
    return await eventually(async () => {
      const answer = await fetch(`${service.url}/jobs/${id}/result`, { headers: { authorization: `Bearer ${TOKEN}` } });
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      return answer;
    });
  }
});
