import { readFile } from 'node:fs/promises';
import sharp from 'sharp';

/** A page that people print, and what its document needs. */
export interface DocumentKind {
  readonly body: string;
  /** More fields of the request. */
  readonly fields?: object;
  /** Why PDF/UA-1 refuses it. */
  readonly refused?: RegExp;
}

const EXAMPLE = new URL('../../../examples/e-invoice/', import.meta.url);
const noise = sharp({
  create: {
    width: 120,
    height: 80,
    channels: 3,
    background: '#369',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
});
const photo = await noise.jpeg().toBuffer();
const transparent = await sharp({
  create: { width: 80, height: 80, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.4 } },
})
  .png()
  .toBuffer();
const picture = (bytes: Buffer, type: string, alt = ' alt="photo"'): string =>
  `<img${alt} width="200" src="data:image/${type};base64,${bytes.toString('base64')}">`;
const plain = picture(photo, 'jpeg');
const line = '<p>Some words that go on and on for a while, and then for a while more.</p>';
const rows = Array.from({ length: 150 }, (_, row) => `<tr><td>${row}<td>${row * 7}`).join('');

/** Documents of the kinds that people print for business. Each has to meet each standard, or to be refused. */
export const DOCUMENT_KINDS: Readonly<Record<string, DocumentKind>> = {
  invoice: { body: await readFile(new URL('invoice.html', EXAMPLE), 'utf8') },
  letter: {
    body: `<p>Dear reader,</p>${line.repeat(4)}<p><em>Kind</em> <strong>regards</strong></p><ul><li>a<li>b</ul>`,
  },
  'table over pages': { body: `<table><thead><tr><th>N<th>V</thead><tfoot><tr><td>T<td>9</tfoot>${rows}</table>` },
  'table with spans': {
    body: '<table><caption>C</caption><tr><th rowspan="2">A<th colspan="2">B<tr><th>C<th>D<tr><td>1<td>2<td>3<tr><th scope="rowgroup" rowspan="2">g<td>4<td>5<tr><td>6<td>7</table>',
  },
  'table with gaps': { body: '<table><tr><th>A<th><th>C<tr><td><td>2<tr><td colspan="3">x<tr><td>1</table>' },
  'table for layout': {
    body: '<table role="presentation"><tr><td><table><tr><td>in<td>x</table><td>right</table><table width="100%"><tr><td>l<td align="right">r</table>',
  },
  'picture with alpha': { body: picture(transparent, 'png') },
  photograph: { body: plain },
  'rotated photograph': {
    body: picture(await sharp(photo).withMetadata({ orientation: 6 }).jpeg().toBuffer(), 'jpeg'),
  },
  'CMYK photograph': { body: picture(await sharp(photo).toColourspace('cmyk').jpeg().toBuffer(), 'jpeg') },
  'grey photograph': { body: picture(await sharp(photo).greyscale().jpeg().toBuffer(), 'jpeg') },
  'photograph of another profile': { body: picture(await sharp(photo).withIccProfile('p3').jpeg().toBuffer(), 'jpeg') },
  'modern photograph': { body: picture(await sharp(photo).avif().toBuffer(), 'avif') },
  'lighter photograph': { body: plain, fields: { pdf_image_quality: 60 } },
  'the same bytes': { body: `<h1>Invoice</h1><table><tr><th>N<th>V${rows}</table>`, fields: { reproducible: true } },
  book: {
    body: `<style>@page { @top-center { content: string(name) } } h1 { string-set: name content() } .note { float: footnote }</style><h1>Chapter</h1>${line.repeat(60)}<p>Text<span class="note">Note</span></p>`,
    fields: { paged_media: true },
  },
  'decorative pictures': {
    body: `${picture(photo, 'jpeg', ' alt=""')}<svg width="9" height="9"><path d="M0 0h9v9z"/></svg>${line}`,
  },
  'picture without text': {
    body: `${picture(photo, 'jpeg', '')}${line}`,
    refused: /alternative text.* 1 without, on sheet 1$/,
  },
  figures: {
    body: `<figure>${plain}<figcaption>c</figcaption></figure><figure><pre>code</pre></figure><figure><table><tr><th>a<td>b</table></figure>`,
  },
  gradients: {
    body: '<div style="height:90px;background:linear-gradient(red,blue)">a</div><div style="height:90px;background:radial-gradient(red,transparent)">b</div>',
  },
  shadows: { body: '<div style="box-shadow:0 0 10px 5px #0008">a</div><p style="text-shadow:2px 2px 3px red">b</p>' },
  opacity: { body: `<div style="opacity:.5"><p>faded</p>${plain}</div><p style="mix-blend-mode:multiply">blended</p>` },
  filters: { body: '<p style="filter:blur(2px)">blurred</p>', refused: /text under a CSS filter/ },
  masks: {
    body: `<div style="mask:linear-gradient(black,transparent)">${line}</div>`,
    refused: /content under a mask/,
  },
  borders: {
    body: `<div style="border:5px dashed red;border-radius:20px">b</div><hr><style>p::before{content:"> "}</style>${line}`,
  },
  links: {
    body: `<p><a href="https://example.com/?a=(1)&b=ü">link</a>, <a href="#ü">place</a>, <a href="mailto:a@example.com">mail</a>, <a href="javascript:0">script</a></p>${line.repeat(60)}<h2 id="ü">T</h2>`,
  },
  'links around pictures': {
    body: `<a href="https://example.com/">${plain}</a><a href="https://example.com/e"></a><a href="https://example.com/c" style="display:block"><h2>Card</h2>${line}</a>`,
  },
  'link over pages': { body: `<a href="https://example.com/">${'words of a long link '.repeat(900)}</a>` },
  forms: {
    body: '<form><label>Name <input value="Ada"></label><select multiple><option selected>One<option>Two</select><textarea>note</textarea><input type="file"><input type="date"><input type="checkbox" checked><button>Go</button><progress value=".5"></progress></form>',
  },
  'right to left': {
    body: '<div dir="rtl" lang="ar"><h1>فاتورة</h1><p>نص باللغة العربية مع أرقام 123 و English.</p></div>',
  },
  chart: {
    body: '<svg role="img" aria-label="Sales" width="300" height="150"><rect x="10" y="10" width="40" height="100" fill="teal"/><text x="10" y="140">Label</text><path d="M0 0L100 100" stroke="red" stroke-opacity=".4"/></svg>',
  },
  canvas: {
    body: '<canvas id="c" role="img" aria-label="Squares"></canvas><script>const paint = c.getContext("2d"); paint.fillStyle = "rgba(255,0,0,.5)"; paint.fillRect(9, 9, 99, 99)</script>',
  },
  headings: {
    body: `<h2>A</h2>${line}<h5>B</h5><h1>C</h1><h3></h3><div role="heading" aria-level="9">D</div>`,
    fields: { pdf_outline: true },
  },
  lists: {
    body: '<ol><li>One<ul><li>in</ul><li>Two<p>more</p></ol><dl><dt>t<dd>d</dl><ul><p>odd</p><div><li>in a group</div>text</ul><li>alone',
  },
  'list over pages': { body: `<ul>${'<li>item with a <a href="https://example.com/x">link</a>'.repeat(120)}</ul>` },
  notes: {
    body: '<p>Text<sup><a href="#n" id="r">1</a></sup></p><section role="doc-endnotes"><ol><li id="n"><p>Note <a href="#r" role="doc-backlink">back</a></ol></section>',
  },
  roles: {
    body: `<nav><ul><li><a href="#a">A</a></ul></nav><main id="a"><article><h1>T</h1>${line}<aside>x</aside></article></main><div role="img" aria-label="p">x</div><blockquote>${line}</blockquote>`,
  },
  inline: {
    body: '<p><em>e</em> <strong>s</strong> <code>c</code> <q>q</q> <ins>i</ins> <del>d</del> <mark>m</mark> <sub>2</sub> <ruby>K<rt>k</rt></ruby></p>',
  },
  formula: { body: '<math><mfrac><mn>1</mn><msqrt><mi>x</mi></msqrt></mfrac></math>' },
  details: {
    body: `<details open><summary>S</summary>${line}</details><details><summary>T</summary>${line}</details>`,
  },
  'shadow trees': {
    body: `<div id="h"></div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<h2>In</h2><a href="https://example.com/s">link</a>'</script>`,
  },
  columns: { body: `<div style="columns:3">${line.repeat(60)}</div><p style="transform:rotate(5deg)">turned</p>` },
  'fixed and repeated': { body: `<div style="position:fixed;top:0">head</div>${line.repeat(120)}` },
  frame: { body: `<iframe srcdoc="<h2>inside</h2>"></iframe>${line}`, refused: /does not allow frames/ },
  empty: { body: '', refused: /needs a page with content/ },
  'one sheet': { body: line.repeat(80), fields: { pdf_single_page: true } },
  'some sheets': { body: line.repeat(160), fields: { pdf_page_ranges: '2-3' } },
  long: {
    body: line.repeat(400),
    fields: { pdf_watermark: 'DRAFT', pdf_footer_html: '<span class="pageNumber"></span>', pdf_outline: true },
  },
};
