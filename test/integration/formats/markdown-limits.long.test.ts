import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CaptureAnswer, capture } from '../../support/http.ts';
import { type RunningService, startService } from '../../support/service.ts';

const SENTENCE = 'A sentence of some words, and of some more of them, to be read by nobody. ';
/** Pages that would need recursion per level or quadratic time. */
const LARGE_PAGES: readonly (readonly [what: string, markup: string, contains: string])[] = [
  ['a megabyte of paragraphs', `<p>${SENTENCE.repeat(4)}</p>`.repeat(4_000), SENTENCE.trim()],
  ['20,000 links', `<main>${'<a href="http://a.test/x">link</a> '.repeat(20_000)}</main>`, '[link](http://a.test/x)'],
  ['20,000 list items', `<ol>${'<li>entry</li>'.repeat(20_000)}</ol>`, '20000. entry'],
  ['nested tables', `${'<table><tr><td>'.repeat(100)}inmost${'</table>'.repeat(100)}`, 'inmost'],
  [
    'a table with unclosed cells',
    `<table><tr><th colspan="999999999">a<th>b<tr><td rowspan="999999999">c</table>`,
    'a',
  ],
  // Three times as many crash the renderer during layout, in any format (Chromium 153).
  [
    'nested divs',
    `<script>let at = document.documentElement.appendChild(document.createElement('body'));
     for (let n = 0; n < 1_000; n++) at = at.appendChild(document.createElement('div'));
     at.textContent = 'inmost';</script>`,
    'inmost',
  ],
];

describe('format: markdown, of large pages', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ MAX_RESULT_BYTES: '8000000' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const answerOf = (fields: Readonly<Record<string, unknown>>): Promise<CaptureAnswer> =>
    capture(service.url, { format: 'markdown', run_ahead: 0, ...fields });

  it.each(LARGE_PAGES)('contains all of %s', async (_what, html_content, contains) => {
    const [word = ''] = /[a-z]+/i.exec(contains) ?? [];
    for (const main_content of [true, false]) {
      const answer = await answerOf({ html_content, main_content });

      // A busy machine may fall back to plain text.
      const isPlain = answer.headers.get('x-capture-warnings')?.includes('markdown_is_plain') === true;
      expect(answer.status).toBe(200);
      expect(answer.body.includes(isPlain ? word : contains)).toBe(true);
    }
  });

  it('is refused if it exceeds the maximum result size', async () => {
    const html_content = `<body><script>document.body.append('x '.repeat(4_500_000))</script>`;

    const answer = await answerOf({ html_content, main_content: false });

    expect(answer.json()).toMatchObject({ error_type: 'ResultTooLargeError' });
  });
});
