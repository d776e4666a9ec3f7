import { beforeAll, describe, expect, it } from 'vitest';
import MarkdownIt from 'markdown-it';
import { capture } from '../../support/http.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const MATH = 'xmlns="http://www.w3.org/1998/Math/MathML"';
const tex = (source: string): string =>
  `<math ${MATH}><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">${source}</annotation></semantics></math>`;

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

async function markdownOf(body: string): Promise<string> {
  const html_content = `<!doctype html><html lang="en"><meta charset="utf-8"><body>${body}`;
  const answer = await capture(service.url, { html_content, format: 'markdown', main_content: false });
  expect(answer.status).toBe(200);
  return answer.body.toString('utf8').trimEnd();
}

describe.concurrent('Markdown keeps the meaning', () => {
  it.each([
    ['exponents', '<p>25 m<sup>2</sup>, 10<sup>−3</sup>, 2<sup>10</sup>', '25 m², 10⁻³, 2¹⁰'],
    ['exponents without a sign', '<p>e<sup>a+b</sup> and x<sup>k</sup>', 'e^(a+b) and x^k'],
    ['exponents that look like endings', '<p>x<sup>a</sup> and y<sup>e</sup>', 'x^a and y^e'],
    ['minutes and degrees', '<p>5<sup>′</sup> at 20<sup>∘</sup>', '5′ at 20°'],
    ['indices', '<p>H<sub>2</sub>O, v<sub>0</sub>, E<sub>kin</sub>, x<sub>max+1</sub>', 'H₂O, v₀, Eₖᵢₙ, xₘₐₓ₊₁'],
    ['ordinals', '<p>1<sup>st</sup>, 2<sup>nd</sup>, 3<sup>e</sup>', '1st, 2nd, 3e'],
    ['fractions', '<p>1<sup>3</sup>⁄<sub>4</sub> and ½', '1³⁄₄ and ½'],
    ['links in exponents', '<p>a<sup><a href="/n">note</a></sup>', 'a[note](/n)'],
    ['readings', '<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>', '東京(とうきょう)'],
    ['quotations', '<p><q>Yes</q>, she said', '“Yes”, she said'],
    ['keys', '<p>Press <kbd>Ctrl</kbd> and <kbd>C</kbd>', 'Press `Ctrl` and `C`'],
    ['terms', '<dl><dt>Weir</dt><dd>A wall.</dd></dl>', '**Weir**\n\nA wall.'],
    ['numbers of items', '<ol><li>a<li value="7">b<li>c</ol>', '1. a\n7. b\n8. c'],
    ['reversed lists', '<ol reversed><li>a<li>b</ol>', '2. a\n1. b'],
    ['reversed lists with a start', '<ol reversed start="9"><li>a<li>b</ol>', '9. a\n8. b'],
    [
      'footnotes',
      '<p>Text<sup><a href="#fn:1" id="r">1</a></sup> end.</p><ol><li id="fn:1"><p>The note. <a href="#r">↩</a></p></li></ol>',
      'Text[^1] end.\n\n[^1]: The note.',
    ],
    ['marks that lead elsewhere', '<p>Text<sup><a href="#x">1</a></sup></p><p>No note', 'Text[1](#x)\n\nNo note'],
  ])('of %s', async (_name, body, expected) => {
    expect(await markdownOf(body)).toBe(expected);
  });

  it.each([
    ['in the source, where styles keep them', '<p style="white-space: pre-line">a\nb\n\nc', 'a  \nb\n\nc'],
    [
      'at the ends of inline elements, where styles keep them',
      '<p style="white-space: pre-wrap"><span>a\n</span><a href="/x">b</a><span> c\n</span>',
      'a  \n[b](/x) c',
    ],
    ['in the source of other text', '<p>a\nb', 'a b'],
    [
      'in cells',
      '<table><tr><th>a<th>b<tr><td style="white-space: pre">1\n2<td>3',
      '| a | b |\n| --- | --- |\n| 1<br>2 | 3 |',
    ],
    ['twice', '<p>a<br><br>b<br>c', 'a\n\nb  \nc'],
    ['at the edges of blocks', '<div><br>a<br></div><div><br></div>b<br><p>c', 'a\n\nb\n\nc'],
  ])('of line breaks %s', async (_name, body, expected) => {
    expect(await markdownOf(body)).toBe(expected);
  });

  const BADGE = 'style="display: inline-block; padding: 0 5px"';
  it.each([
    ['buttons', '<button>One</button><button>Two</button>', 'One Two'],
    ['badges', `<p>Feature<span ${BADGE}>New</span><span ${BADGE}>Beta</span>text`, 'Feature New Beta text'],
    ['a badge beside punctuation', `<p>(<span ${BADGE}>New</span>), <span ${BADGE}>Old</span>.`, '(New), Old.'],
    [
      'animated letters',
      '<p><span style="display: inline-block">H</span><span style="display: inline-block">i</span>',
      'Hi',
    ],
    ['an initial', `<p><span ${BADGE}>T</span>his`, 'This'],
  ])('of the gaps at %s', async (_name, body, expected) => {
    expect(await markdownOf(body)).toBe(expected);
  });

  it.each([
    [
      'a list in a list',
      '<ul><li>a</li><ul><li>b</li></ul><ul><li>c</li></ul><li>d</li></ul>',
      '- a\n  - b\n  - c\n- d',
    ],
    ['a list before all items', '<ol><ol><li>a</ol></ol>', '1. a'],
    [
      'a footer before the body of a table',
      '<table><tfoot><tr><td>Sum<td>1</tfoot><thead><tr><th>k<th>v</thead><tbody><tr><td>a<td>1</table>',
      '| k | v |\n| --- | --- |\n| a | 1 |\n| Sum | 1 |',
    ],
    [
      'a table of data in one for the layout',
      '<table><tr><td><p>a</p><table><tr><th>k<th>v<tr><td>b<td>1</table></table>',
      'a\n\n| k | v |\n| --- | --- |\n| b | 1 |',
    ],
    ['a drawing in a block of code', '<pre><svg><style>a{}</style><text>Start</text></svg></pre>', '```\nStart\n```'],
  ])('of %s', async (_name, body, expected) => {
    expect(await markdownOf(body)).toBe(expected);
  });

  it.each([
    [
      'KaTeX',
      `<span class="katex"><span class="katex-mathml">${tex('p = m v')}</span><span class="katex-html" aria-hidden="true">p=mv</span></span>`,
      '$p = m v$',
    ],
    [
      'KaTeX as a block',
      `<span class="katex-display"><span class="katex"><span class="katex-mathml">${tex('\\int_a^b F')}</span><span class="katex-html">∫F</span></span></span>`,
      '$$\\int_a^b F$$',
    ],
    [
      'MathJax 2',
      '<span class="MathJax_Preview"></span><span class="MathJax"><span class="math">s=12</span></span><script type="math/tex">s = \\frac{1}{2}</script>',
      '$s = \\frac{1}{2}$',
    ],
    [
      'MathJax 2 as a block',
      '<div class="MathJax_Display"><span class="MathJax"><span>a</span></span></div><script type="math/tex; mode=display">a^2</script>',
      '$$a^2$$',
    ],
    [
      'MathJax 3 with MathML',
      `<mjx-container><mjx-math aria-hidden="true">v</mjx-math><mjx-assistive-mml><math ${MATH}><mi>v</mi><mo>=</mo><msub><mi>t</mi><mn>0</mn></msub></math></mjx-assistive-mml></mjx-container>`,
      'v=t₀',
    ],
    [
      'MathJax 4 as SVG',
      '<mjx-container jax="SVG" data-latex="E = m c^2"><svg width="9" height="9"><path d="M0 0h9v9z"/></svg></mjx-container>',
      '$E = m c^2$',
    ],
    [
      'MathML',
      `<math ${MATH}><mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac></math>`,
      'x=(−b)/(2a)',
    ],
    [
      'MathML with roots and powers',
      `<math ${MATH}><msqrt><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><msup><mi>b</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup></msqrt></math>`,
      '√(a²+bⁿ⁺¹)',
    ],
    [
      'MathML with a mixed number',
      `<math ${MATH}><mn>1</mn><mfrac><mn>3</mn><mn>4</mn></mfrac><mi>x</mi></math>`,
      '1 3/4 x',
    ],
    [
      'MathML with a power of a fraction',
      `<math ${MATH}><msup><mfrac><mi>a</mi><mi>b</mi></mfrac><mn>2</mn></msup></math>`,
      '(a/b)²',
    ],
    [
      'MathML with a binomial, words and a function',
      `<math ${MATH}><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo><mtext> if </mtext><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mphantom><mi>y</mi></mphantom></math>`,
      '(n over k) if sin x',
    ],
    [
      'MathML with accents and aligned equations',
      `<math ${MATH}><mover><mi>v</mi><mo>→</mo></mover><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mn>1</mn></mtd></mtr></mtable></math>`,
      'v\u20D7(a =1)',
    ],
    [
      'MathML with an alternative text',
      `<math ${MATH} alttext="a over b"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>`,
      'a over b',
    ],
    ['a source with a link', tex('a$ [x](javascript:alert(1)) $b'), '$`a$ [x](javascript:alert(1)) $b`$'],
    ['a source with backticks', tex("\\text{``a'' for $x$}"), "$```\\text{``a'' for $x$}```$"],
    ['a source with HTML', tex('a &lt;img src=x onerror=y&gt;'), '$a \\lt img src=x onerror=y>$'],
  ])('of formulas by %s, each once', async (_name, formula, expected) => {
    expect(await markdownOf(`<p>Before ${formula} after</p>`)).toMatch(
      new RegExp(`^Before\\s+${expected.replaceAll(/[$^()\\{}+|*?.[\]]/g, String.raw`\$&`)}\\s+after$`),
    );
  });

  it.each([
    [
      'with numbered lines by a class of the block',
      '<pre class="language-js line-numbers"><code class="language-js">a();\nb();<span aria-hidden="true" class="line-numbers-rows"><span></span></span></code></pre>',
      '```js\na();\nb();\n```',
    ],
    [
      'with numbers in cells',
      '<pre><code class="language-c"><table><tr><td class="hljs-ln-numbers"><div></div></td><td>int a;</td></tr><tr><td class="hljs-ln-numbers"><div></div></td><td>  int b;</td></tr></table></code></pre>',
      '```c\nint a;\n  int b;\n```',
    ],
    [
      'beside the name of its language',
      '<div class="language-ts"><span class="lang">ts</span><pre><code>a()</code></pre></div>',
      '```ts\na()\n```',
    ],
    [
      'of an editor that places its lines',
      '<div class="monaco-editor"><div class="margin-view-overlays"><div>1</div></div><div class="view-lines" style="position:relative;height:40px"><div style="position:absolute;top:19px">&nbsp;b</div><div style="position:absolute;top:0">a</div></div></div>',
      '```\na\n b\n```',
    ],
    [
      'of a terminal',
      '<div style="font-family:monospace"><div style="white-space:pre">$ ls  -la</div><div style="white-space:pre">total   4</div></div>',
      '```\n$ ls  -la\ntotal   4\n```',
    ],
    [
      'of a file in a table',
      '<table><tr><td class="blob-num"></td><td style="white-space:pre;font-family:monospace">package main</td></tr><tr><td class="blob-num"></td><td style="white-space:pre;font-family:monospace">  x := 1</td></tr></table>',
      '```\npackage main\n  x := 1\n```',
    ],
    [
      'in a cell',
      '<table><tr><th>A<th>B</tr><tr><td>1<td><pre><code>x = 1\ny = 2</code></pre></tr></table>',
      '| A | B |\n| --- | --- |\n| 1 | `x = 1`<br>`y = 2` |',
    ],
    [
      'and not a poem in lines',
      '<div><div style="white-space:pre">Roses  are</div><div style="white-space:pre">red</div></div>',
      'Roses are\n\nred',
    ],
    ['by white-space', '<code style="display: block; white-space: pre">a\n  b</code>', '```\na\n  b\n```'],
    [
      'of an editor',
      '<div class="cm-content"><div class="cm-line">if (a)</div><div class="cm-line">  b();</div></div>',
      '```\nif (a)\n  b();\n```',
    ],
    [
      'with lines as elements',
      '<pre><code class="language-c"><div>a</div><div>b</div></code></pre>',
      '```c\na\nb\n```',
    ],
    ['in a sentence', '<p>call <code>a()</code> now', 'call `a()` now'],
  ])('of code %s', async (_name, body, expected) => {
    expect(await markdownOf(body)).toBe(expected);
  });

  it.each([
    ['<p>日本語の<strong>「強調」</strong>です', '<strong>「強調」</strong>'],
    ['<p>都<em>（开）</em>白色', '<em>（开）</em>'],
    ['<p>a <strong>bold</strong> word', '<strong>bold</strong>'],
    ['<p>不<strong>要</strong>忘', '<strong>要</strong>'],
  ])('of emphasis in %s, as a reader of CommonMark shows it', async (body, expected) => {
    expect(new MarkdownIt({ html: true }).render(await markdownOf(body))).toContain(expected);
  });
});
