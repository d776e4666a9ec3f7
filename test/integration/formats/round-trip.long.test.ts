import { array, constantFrom, integer, letrec, nat, oneof, sample, tuple } from 'fast-check';
import MarkdownIt from 'markdown-it';
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { beforeAll, expect, it } from 'vitest';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const DOCUMENTS = 300;
const TEXTS_WITH_NUMBERS = 500;
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
const list = (tag: 'ul' | 'ol start="3"', items: readonly string[]): string =>
  `<${tag}>${items.map((item) => `<li>${item}</li>`).join('')}</${tag.slice(0, 2)}>`;
const { block } = letrec<{ block: string; item: string }>((tie) => ({
  item: oneof(
    { depthSize: 'small' },
    inline,
    inline,
    tuple(inline, tie('block')).map(([first, rest]) => `<p>${first}</p>${rest}`),
    inline.map((inner) => `${inner}<ul><li>inner</li></ul>`),
  ),
  block: oneof(
    { depthSize: 'small' },
    inline.map((inner) => `<p>${inner}</p>`),
    tuple(integer({ min: 2, max: 6 }), text).map(([level, inner]) => `<h${level}>${inner}</h${level}>`),
    tuple(inline, inline).map(([a, b]) => `<p>${a}<br>${b}</p>`),
    text.map((inner) => `<pre><code>${inner}\n  ${inner}\n\n${inner}</code></pre>`),
    array(tuple(text, inline), { minLength: 1, maxLength: 3 }).map(
      (rows) =>
        `<table><tr><th>A</th><th>B</th></tr>${rows.map(([a, b]) => `<tr><td>${a}</td><td>${b}</td></tr>`).join('')}</table>`,
    ),
    array(tie('item'), { minLength: 1, maxLength: 4 }).map((items) => list('ul', items)),
    array(tie('item'), { minLength: 1, maxLength: 4 }).map((items) => list('ol start="3"', items)),
    array(tie('block'), { minLength: 1, maxLength: 3 }).map((blocks) => `<blockquote>${blocks.join('')}</blockquote>`),
  ),
}));
const page = array(block, { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join(''));

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

/** Two implementations of CommonMark, with tables. */
const RENDERERS: Readonly<Record<string, (markdown: string) => string>> = {
  'markdown-it': (markdown) => new MarkdownIt({ html: true }).render(markdown),
  micromark: (markdown) =>
    micromark(markdown, { allowDangerousHtml: true, extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] }),
};

it('gives markdown that renders to the text and structure of random pages', { timeout: 300_000 }, async () => {
  const documents = sample(page, { numRuns: DOCUMENTS, seed: 71 });
  const differences: (readonly [renderer: string, body: string, shown: string])[] = [];
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const some = documents.slice(at, at + AT_ONCE);
    const html_content = `<!doctype html><meta charset="utf-8"><body>${some.join('<hr>')}`;
    const answer = await capture(service.url, { html_content, format: 'markdown', main_content: false });
    for (const [name, render] of Object.entries(RENDERERS)) {
      const shown = render(answer.body.toString('utf8')).split(/<hr\s*\/?>\n?/);
      for (const [index, body] of some.entries())
        if (outlineOf(shown[index] ?? '') !== outlineOf(body)) differences.push([name, body, shown[index] ?? '']);
    }
  }

  expect(differences).toEqual([]);
});

/** A piece of a text with numbers, and how it is written. */
type Piece = readonly [html: string, written: string];

const digits = (number: number, signs: string): string =>
  Array.from(String(number), (digit) => signs[Number(digit)]).join('');
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const LOWERED = '₀₁₂₃₄₅₆₇₈₉';
const number = nat({ max: 1_999 });
const piece = oneof(
  number.map((value): Piece => [`${value}`, `${value}`]),
  tuple(number, number).map(([a, b]): Piece => [`${a}<sup>${b}</sup>`, `${a}${digits(b, RAISED)}`]),
  tuple(number, number).map(([a, b]): Piece => [`${a}·10<sup>−${b}</sup>`, `${a}·10⁻${digits(b, RAISED)}`]),
  tuple(number, number).map(([a, b]): Piece => [
    `x<sub>${a}</sub><sup>${b}</sup>`,
    `x${digits(a, LOWERED)}${digits(b, RAISED)}`,
  ]),
  tuple(number, number).map(([a, b]): Piece => [
    `<sup>${a}</sup>⁄<sub>${b}</sub>`,
    `${digits(a, RAISED)}⁄${digits(b, LOWERED)}`,
  ]),
  tuple(number, number, number).map(([a, b, c]): Piece => [
    `<math xmlns="http://www.w3.org/1998/Math/MathML"><mn>${a}</mn><mfrac><mn>${b}</mn><mn>${c}</mn></mfrac></math>`,
    `${a} ${b}/${c}`,
  ]),
  tuple(number, constantFrom('m', 'km', 'cm', 's'), integer({ min: 2, max: 9 })).map(([a, unit, b]): Piece => [
    `${a} ${unit}<sup>${b}</sup>`,
    `${a} ${unit}${digits(b, RAISED)}`,
  ]),
  tuple(number, number).map(([a, b]): Piece => [`${a}<sup>st</sup> and <b>${b}</b> %`, `${a}st and **${b}** %`]),
  number.map((value): Piece => [`½ of ${value},5 °C`, `½ of ${value},5 °C`]),
  tuple(number, number).map(([a, b]): Piece => [
    `C<sub>${a}</sub>H<sub>${b}</sub>`,
    `C${digits(a, LOWERED)}H${digits(b, LOWERED)}`,
  ]),
  number.map((value): Piece => [`e<sup>−${value}x</sup>`, `e^(−${value}x)`]),
);

it('changes no number in random texts', async () => {
  const texts = sample(array(piece, { minLength: 2, maxLength: 6 }), { numRuns: TEXTS_WITH_NUMBERS, seed: 71 });
  const html = texts.map((pieces) => `<p>T ${pieces.map(([part]) => part).join(' and ')} end</p>`).join('');
  const html_content = `<!doctype html><meta charset="utf-8"><body>${html}`;
  const answer = await capture(service.url, { html_content, format: 'markdown', main_content: false });

  const written = answer.body.toString('utf8').trim().split('\n\n');
  expect(written).toEqual(texts.map((pieces) => `T ${pieces.map(([, part]) => part).join(' and ')} end`));
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
  return number.replaceAll(/[\d−]/g, (character) => RAISED['0123456789'.indexOf(character)] ?? '⁻');
}
