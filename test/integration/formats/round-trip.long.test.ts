import { array, constantFrom, integer, nat, oneof, sample, tuple } from 'fast-check';
import MarkdownIt from 'markdown-it';
import { beforeAll, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const DOCUMENTS = 60;
/** Pages are converted together: one capture for this many documents. */
const AT_ONCE = 5;

const WORDS = 'river 2.5 m² 10⁻³ H₂O (a) [b] *c* d_e `f` # 1. - x<y a&b "q" über 東京 ~z~ 100% \\n | end!'.split(' ');
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = array(constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => escaped(words.join(' ')));
const inline = oneof(
  text,
  text.map((inner) => `before <strong>${inner}</strong> after`),
  text.map((inner) => `before <em>${inner}</em> after`),
  text.map((inner) => `before <code>${inner}</code> after`),
  text.map((inner) => `before <a href="https://example.com/a">${inner}</a> after`),
  nat({ max: 99 }).map((number) => `${number} m<sup>${number}</sup> and 10<sup>−${number}</sup>`),
);
const block = oneof(
  tuple(integer({ min: 2, max: 6 }), text).map(([level, inner]) => `<h${level}>${inner}</h${level}>`),
  inline.map((inner) => `<p>${inner}</p>`),
  array(inline, { minLength: 1, maxLength: 4 }).map(
    (items) => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`,
  ),
  array(inline, { minLength: 1, maxLength: 4 }).map(
    (items) => `<ol start="3">${items.map((item) => `<li>${item}<ul><li>inner</li></ul></li>`).join('')}</ol>`,
  ),
  text.map((inner) => `<pre><code>${inner}\n  ${inner}</code></pre>`),
  inline.map((inner) => `<blockquote><p>${inner}</p></blockquote>`),
  array(tuple(text, inline), { minLength: 1, maxLength: 3 }).map(
    (rows) =>
      `<table><tr><th>A</th><th>B</th></tr>${rows.map(([a, b]) => `<tr><td>${a}</td><td>${b}</td></tr>`).join('')}</table>`,
  ),
);
const page = array(block, { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join(''));

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

it('gives markdown that renders to the text and structure of random pages', { timeout: 120_000 }, async () => {
  const documents = sample(page, { numRuns: DOCUMENTS, seed: 71 });
  const differences: (readonly [body: string, shown: string])[] = [];
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const some = documents.slice(at, at + AT_ONCE);
    const html_content = `<!doctype html><meta charset="utf-8"><body>${some.join('<hr>')}`;
    const answer = await capture(service.url, { html_content, format: 'markdown', main_content: false });
    const shown = new MarkdownIt({ html: true }).render(answer.body.toString('utf8')).split(/<hr\s*\/?>\n?/);
    for (const [index, body] of some.entries())
      if (outlineOf(shown[index] ?? '') !== outlineOf(body)) differences.push([body, shown[index] ?? '']);
  }

  expect(differences).toEqual([]);
});

/** Text and structure of simple HTML: tags of meaning, and words. */
function outlineOf(html: string): string {
  return html
    .replaceAll(/<(sup|sub)>(.*?)<\/\1>/g, (_whole, _tag, inner: string) => inSigns(inner))
    .replaceAll(/<\/?(?:p|thead|tbody|br|s)\b[^>]*>/g, ' ')
    .replaceAll(/<(\/?[a-z]\w*)[^>]*>/g, ' <$1> ')
    .replaceAll(/&lt;/g, '<')
    .replaceAll(/&quot;/g, '"')
    .replaceAll(/&amp;/g, '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function inSigns(number: string): string {
  return number.replaceAll(/[\d−]/g, (character) => '⁰¹²³⁴⁵⁶⁷⁸⁹'['0123456789'.indexOf(character)] ?? '⁻');
}
