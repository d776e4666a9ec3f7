import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaptureData } from '../../../src/programs/client/capture-data.ts';
import { capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const script = (code: string): string => `<body><script>${code}</script></body>`;
const SENTENCE = 'Some words of a sentence that goes on, as there is so much to say. ';

/** Oversized pages, by the part that is truncated. */
const CASES: readonly (readonly [name: string, part: keyof CaptureData, markup: string, length: number])[] = [
  [
    '50,000 links',
    'links',
    script('document.body.innerHTML = \'<a href="http://a.test/x">link</a> \'.repeat(50000);'),
    10_000,
  ],
  [
    'nested links',
    'links',
    script(
      "for (let i = 0; i < 500; i++) { let into = document.body; for (let j = 0; j < 24; j++) { const a = document.createElement('a'); a.href = 'http://a.test/'; into.append(a, 'some words '); into = a; } }",
    ),
    10_000,
  ],
  ['an endless console', 'console', script("for (let i = 0; i < 20000; i++) console.log('line ' + i);"), 500],
  ['long lines on the console', 'console', script("console.log('x'.repeat(1e6));"), 1],
  [
    'many requests',
    'network',
    script("for (let i = 0; i < 1200; i++) fetch('http://127.0.0.1:9/' + i).catch(() => undefined);"),
    1_000,
  ],
];

describe('a json answer for an oversized page', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ MAX_RESULT_BYTES: '20000000' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function requestData(fields: Readonly<Record<string, unknown>>): Promise<CaptureData> {
    const answer = await capture(service.url, { response_type: 'json', run_ahead: 0, ...fields });
    expect([answer.status, answer.body.toString('utf8', 0, 14)]).toEqual([200, '{"request_id":']);
    const data: CaptureData = JSON.parse(answer.body.toString());
    return data;
  }

  const requestRepeated = (markup: string, times: number): Promise<CaptureData> =>
    requestData({
      html_content: script(`document.body.innerHTML = '${markup}'.repeat(${times});`),
      include: ['accessibility'],
    });

  it.each(CASES)('is truncated and reports it: %s', async (_name, part, markup, length) => {
    const data = await requestData({ html_content: markup, include: [part] });

    expect(data[part]).toMatchObject({ truncated: true });
    expect(Object(data[part]).entries).toHaveLength(length);
  });

  it('does not let a page stop the browser by console output', async () => {
    const flood = script("for (let i = 0; i < 2000; i++) console.log('x'.repeat(180000) + i);");
    const { console: lines } = await requestData({ html_content: flood, include: ['console'] });

    expect(lines?.truncated).toBe(true);
    expect(lines?.entries.length).toBeGreaterThan(10);
  });

  it('contains the beginning of markup and markdown that are too long', async () => {
    const paragraph = JSON.stringify(`<p>${SENTENCE.repeat(15)}</p>`);
    const { html, markdown } = await requestData({
      html_content: script(`document.body.innerHTML = ${paragraph}.repeat(6000);`),
      format: 'html',
      main_content: false,
      include: ['html', 'markdown'],
    });

    expect([html?.truncated, markdown?.truncated]).toEqual([true, true]);
    expect(html?.text).toHaveLength(5_000_000);
    expect(markdown?.text).toHaveLength(5_000_000);
  });

  it('contains the top of a tree that is too large, and only the document for one that is too large to read', async () => {
    const large = await requestRepeated('<p><a href="#">link</a> words</p>', 2_000);
    const huge = await requestRepeated('<i></i>', 20_001);

    expect(large.accessibility?.truncated).toBe(true);
    expect(JSON.stringify(large.accessibility).match(/"role"/g)).toHaveLength(5_000);
    expect(huge.accessibility).toEqual({ tree: { role: 'document', name: '' }, truncated: true });
  });

  it('has a tree that is no deeper than JSON parsers accept', async () => {
    const deep = script(
      "let into = document.body; for (let i = 0; i < 400; i++) { const list = document.createElement('ul'); const item = document.createElement('li'); item.append('words ' + i); list.append(item); into.append(list); into = item; }",
    );
    const { accessibility } = await requestData({ html_content: deep, include: ['accessibility'] });

    let [depth, deepest] = [0, 0];
    for (const [bracket] of JSON.stringify(accessibility?.tree).matchAll(/[[\]]/g)) {
      depth += bracket === '[' ? 1 : -1;
      deepest = Math.max(deepest, depth);
    }
    expect(deepest).toBeLessThan(110);
    expect(JSON.stringify(accessibility)).toContain('words 150');
  });

  it('is no larger than MAX_RESULT_BYTES, file and parts together', async () => {
    const noise = script(
      "const c = document.createElement('canvas'); c.width = c.height = 2400; const x = c.getContext('2d'); const d = x.createImageData(2400, 2400); for (let i = 0; i < d.data.length; i += 65536) crypto.getRandomValues(d.data.subarray(i, i + 65536)); for (let i = 3; i < d.data.length; i += 4) d.data[i] = 255; x.putImageData(d, 0, 0); document.body.append(c);",
    );
    const fields = { html_content: noise, full_page: true, window_width: 2400, run_ahead: 0 };
    const file = await capture(service.url, fields);
    const data = await capture(service.url, { ...fields, response_type: 'json' });

    expect(file.status).toBe(200);
    expect(data.status).toBe(400);
    expect(data.json()).toMatchObject({ error_type: 'ResultTooLargeError' });
  });
});
