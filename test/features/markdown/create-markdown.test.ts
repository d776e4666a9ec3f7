import footnotes from 'markdown-it-footnote';
import katex from 'katex';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { createMarkdown, titleOf } from '../../../src/features/markdown/create-markdown.ts';

const markdown = createMarkdown({ MarkdownIt, footnotes });

describe('createMarkdown', () => {
  it.each([
    ['values', '---\ntitle: A\ntags:\n  - b\n\n# comment\n---\ntext', '<p>text</p>\n'],
    ['values with line breaks of Windows, to dots', '---\r\na: 1\r\n...\r\ntext', '<p>text</p>\n'],
    ['values before a list and a rule', '---\na: 1\n---\n- x\n\n---\n', '<ul>\n<li>x</li>\n</ul>\n<hr>\n'],
  ])('leaves out %s at the start', (_name, text, expected) => {
    expect(markdown.render(text)).toBe(expected);
  });

  it.each([
    ['a heading', '---\ntext\n---\n', '<hr>\n<h2 id="text">text</h2>\n'],
    ['rules', '---\n\n---\n', '<hr>\n<hr>\n'],
    ['values that do not end', '---\na: 1\n', '<hr>\n<p>a: 1</p>\n'],
    ['values after a text', 'x\n\n---\na: 1\n---', '<p>x</p>\n<hr>\n<h2 id="a-1">a: 1</h2>\n'],
  ])('keeps %s', (_name, text, expected) => {
    expect(markdown.render(text)).toBe(expected);
  });

  it.each([
    ['---\ntitle: "A: <b>"\n---\n# Heading', 'A: <b>'],
    ['---\ntitle: >\n  folded\n---\n# Heading', 'Heading'],
    ['---\nauthor: A\n---\n# Heading', 'Heading'],
    ['text', ''],
  ])('finds the title of %j', (text, title) => {
    const env = {};
    expect(titleOf(markdown.parse(text, env), env)).toBe(title);
  });

  it.each([
    ['> [!NOTE]\n> a', '<blockquote class="alert note">\n<p><strong>Note</strong><br>a</p>\n</blockquote>\n'],
    [
      '> [!warning]  \n> a',
      '<blockquote class="alert warning">\n<p><strong>Warning</strong><br>a</p>\n</blockquote>\n',
    ],
    ['> [!TIP]\n>\n> a', '<blockquote class="alert tip">\n<p><strong>Tip</strong></p>\n<p>a</p>\n</blockquote>\n'],
    ['> [!NOTE] a', '<blockquote>\n<p>[!NOTE] a</p>\n</blockquote>\n'],
    ['> [!OTHER]\n> a', '<blockquote>\n<p>[!OTHER]\na</p>\n</blockquote>\n'],
    ['[!NOTE]\na', '<p>[!NOTE]\na</p>\n'],
  ])('converts the alert %j', (text, expected) => {
    expect(markdown.render(text)).toBe(expected);
  });

  it.each([
    ['see https://a.test/b_c_d.', '<p>see <a href="https://a.test/b_c_d">https://a.test/b_c_d</a>.</p>\n'],
    ['README.md, a.test, //a.test, me@a.test', '<p>README.md, a.test, //a.test, me@a.test</p>\n'],
    ['`https://a.test`', '<p><code>https://a.test</code></p>\n'],
    ['javascript:alert(1)', '<p>javascript:alert(1)</p>\n'],
  ])('links the addresses of %j', (text, expected) => {
    expect(markdown.render(text)).toBe(expected);
  });

  it('takes no time for values that do not end', () => {
    const start = performance.now();
    markdown.render(`---\n${'-a: x\n'.repeat(20_000)}`);

    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it.each([
    ['line breaks and letters off the line', 'a<br>H<sub>2</sub>O<BR/>', '<p>a<br>H<sub>2</sub>O<br/></p>\n'],
    ['other HTML as text', '<b>x</b> <br x>', '<p>&lt;b&gt;x&lt;/b&gt; &lt;br x&gt;</p>\n'],
    ['a page break', 'a\n<!-- pagebreak -->\nb', '<p>a</p>\n<div class="page-break"></div>\n<p>b</p>\n'],
    ['a page break of LaTeX', 'a\n\n\\newpage\n', '<p>a</p>\n<div class="page-break"></div>\n'],
    [
      'contents',
      '[[toc]]\n\n## A & b',
      '<nav class="contents"><ul>\n<li class="level-2"><a href="#a--b">A &amp; b</a></li>\n</ul></nav>\n<h2 id="a--b">A &amp; b</h2>\n',
    ],
    ['prices', 'from $5 to $10', '<p>from $5 to $10</p>\n'],
  ])('writes %s', (_name, text, expected) => {
    expect(createMarkdown({ MarkdownIt, footnotes, katex }).render(text)).toBe(expected);
  });

  it('writes formulas as MathML, and leaves them as they are without KaTeX', () => {
    const text = 'It is $a^2$, and\n\n$$\\int_0^1 x$$\n\n`$b$` and $\\bad';

    const html = createMarkdown({ MarkdownIt, footnotes, katex }).render(text);

    expect(html.match(/<math/g)).toHaveLength(2);
    expect(html).toContain('<msup><mi>a</mi><mn>2</mn></msup>');
    expect(html).toContain('display="block"');
    expect(html).toContain('<code>$b$</code> and $\\bad');
    expect(markdown.render('$a^2$')).toBe('<p>$a^2$</p>\n');
  });

  it('marks cells with words that are too long for a column', () => {
    const html = markdown.render(`| a | b |\n| --- | --- |\n| x | ${'y'.repeat(25)} |`);

    expect(html).toContain(`<td>x</td>\n<td class="long">`);
  });
});
