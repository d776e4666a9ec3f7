// Measures markdown of the main content by kind and language of page, with public data that is not part of this project.
//   npm run bench -- markdown-kinds READABILITY NEWSPAPER GOOSE
// The arguments are clones of mozilla/readability, AndyTheFactory/newspaper4k and goose3/goose3. Prints precision and
// recall of runs of four words (of four characters in languages without spaces). Expected texts of goose3 are
// beginnings, so that they have a recall only. Captions are left out: most expected texts do not have them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from './service.mjs';
import { mean } from './statistics.mjs';

/** Kinds of the pages, by their names in the collections. Others are news. */
const KINDS = {
  'blog posts':
    'blogger citylab-1 daringfireball-1 dropbox-blog firefox-nightly-blog gitlab-blog lifehacker-post-comment-load lifehacker-working medium-1 medium-2 medium-3 tumblr v8-blog wordpress dev418 topicseed-1 test_mashable_issue_74 test_okaymarketing',
  'constructed pages':
    '001 002 003-metadata-preferred 004-metadata-space-separated-properties 005-unescape-html-entities article-author-tag basic-tags-cleaning comment-inside-script-parsing hidden-nodes invalid-attributes js-link-replacement metadata-content-missing missing-paragraphs normalize-spaces parsely-metadata remove-aria-hidden reordering-paragraphs schema-org-context-object title-and-h1-discrepancy title-en-dash visibility-hidden article_with_br article_with_divs test_articlebody_attribute test_articlebody_itemprop test_articlebody_tag test_pattern_config',
  'broken markup':
    'clean-links remove-extra-brs remove-extra-paragraphs remove-script-tags replace-brs replace-font-tags style-tags-removal svg-parsing data-url-image',
  'addresses to resolve': 'base-url base-url-base-element base-url-base-element-relative links-in-tables',
  'right to left': 'rtl-1 rtl-2 rtl-3 rtl-4 arabic_article test_cnn_arabic',
  encyclopedias: 'wikia wikipedia wikipedia-2 wikipedia-3 wikipedia-4',
  'books and fiction': 'archive-of-our-own google-sre-book-1 royal-road hukumusume',
  'manuals and standards': 'ietf-1 mercurial toc-missing',
  mathematics: 'mathjax',
  science: 'quanta-1 ars-1 bbc-1',
  health: 'medicalnewstoday webmd-1 webmd-2',
  'how-to': 'ehow-1 ehow-2',
  'products and companies':
    'mozilla-1 mozilla-2 iab-1 simplyfound-1 gmw engadget cnet cnet-svg-classes test_engadget test_cnet test_issue24',
  'rights and law': 'aclu ebb-org',
  'mailing lists and forums': 'lwn-1 spiceworks',
  'lists and tables': 'keep-tabular-data ol table-style-attributes buzzfeed-1',
  pictures: 'keep-images lazy-image-1 lazy-image-2 lazy-image-3 pixnet',
  video: 'embedded-videos videos-1 videos-2 video_article_01 video_article_02',
  'section pages': 'nytimes-5 yahoo-4',
  'long reads':
    'nytimes-1 nytimes-2 nytimes-3 nytimes-4 theverge wired_001 time_001 salon-1 test_gizmodo1 test_gizmodo2 test_gizmodo3',
  'social networks beside the text': 'social-buttons test_huffingtonPost2 test_testHuffingtonPost',
};
/** Languages of the pages that are not English. */
const LANGUAGES = {
  Arabic: 'rtl-1 rtl-2 rtl-3 rtl-4 arabic_article test_cnn_arabic',
  Burmese: 'burmese_article',
  Chinese: 'pixnet qq youth gmw chinese_article chinese_article_001 chinese_article_002 test_bbc_chinese',
  Czech: 'aktualne',
  French: 'lemonde-1 liberation-1 videos-2 test_lefigaro test_liberation',
  German: 'heise test_wiwo',
  Japanese: 'hukumusume yahoo-4 japanese_article japanese_article2',
  Korean: 'korean_article yna_co_kr test_donga_korean',
  Latvian: 'latvian_article',
  Portuguese: 'folha',
  Spanish: 'la-nacion nytimes-5 cnet-svg-classes spanish_article test_elmondo1 test_elpais',
  Thai: 'thai_article',
};
const NO_CAPTIONS = ['figcaption', '[class*="caption"]'];
const BLOCKED = 'image media font stylesheet script xhr fetch websocket iframe other'.split(' ');
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

const [readability, newspaper, goose] = process.argv.slice(2);
if (goose === undefined) throw new Error('bench: markdown-kinds needs the folders of three collections');
const service = await startService({});
try {
  const results = [];
  for (const page of [...readabilityPages(), ...newspaperPages(), ...goosePages()]) {
    const { precision, recall } = scoreOf(page.text, await markdownText(page.html));
    results.push({ ...page, recall, precision: page.isBeginning ? undefined : precision });
  }
  printBy(results, 'kind', ({ name }) => nameIn(KINDS, name) ?? 'news');
  printBy(results, 'language', ({ name }) => nameIn(LANGUAGES, name) ?? 'English');
  printBy(results, 'all', () => 'all');
} finally {
  await service.close();
}

function* readabilityPages() {
  const folder = join(readability, 'test/test-pages');
  for (const name of readdirSync(folder)) {
    const expected = readFileSync(join(folder, name, 'expected.html'), 'utf8');
    yield { name, html: readFileSync(join(folder, name, 'source.html'), 'utf8'), text: textOf(expected) };
  }
}

function* newspaperPages() {
  const folder = join(newspaper, 'tests/data');
  for (const file of readdirSync(join(folder, 'txt'))) {
    const name = file.replace('.txt', '');
    const page = join(folder, 'html', `${name}.html`);
    if (existsSync(page)) yield { name, html: decoded(page), text: readFileSync(join(folder, 'txt', file), 'utf8') };
  }
}

function* goosePages() {
  const folder = join(goose, 'tests/data/content');
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const name = file.replace('.json', '');
    const text = JSON.parse(readFileSync(join(folder, file), 'utf8')).expected.cleaned_text;
    if (typeof text === 'string' && text !== '')
      yield { name, html: decoded(join(folder, `${name}.html`)), text, isBeginning: true };
  }
}

/** Text of a page in the encoding that it names. */
function decoded(path) {
  const bytes = readFileSync(path);
  const [, encoding = 'utf-8'] = /charset=["']?([\w-]+)/i.exec(bytes.toString('latin1').slice(0, 3_000)) ?? [];
  return new TextDecoder(encoding).decode(bytes);
}

function textOf(html) {
  return html
    .replaceAll(/<(script|style|figcaption)\b[^]*?<\/\1>/g, ' ')
    .replaceAll(/<\/?(?:p|div|li|h\d|t[dhr]|br|pre|section|[uo]l|table|figure|blockquote)\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(
      /&(?:#\d+|\w+);/g,
      (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' })[entity] ?? ' ',
    );
}

async function markdownText(html) {
  const fields = {
    javascript: false,
    block_resources: BLOCKED,
    hide_selectors: NO_CAPTIONS,
  };
  const response = await fetch(new URL('/capture', service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ html_content: html, format: 'markdown', ...fields }),
  });
  if (!response.ok) throw new Error(`bench: status ${response.status}: ${await response.text()}`);
  return (await response.text())
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replaceAll(/\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g, ' ')
    .replaceAll(/[\\*_`~[\]]/g, '');
}

function scoreOf(expected, text) {
  const [truth, found] = [expected, text].map(runsOf);
  let shared = 0;
  for (const [run, count] of found) shared += Math.min(count, truth.get(run) ?? 0);
  return { precision: shared / Math.max(total(found), 1), recall: shared / Math.max(total(truth), 1) };
}

function runsOf(text) {
  const words = text.toLowerCase().normalize('NFKC').match(WITHOUT_SPACES) ?? [];
  const runs = new Map();
  for (let at = 0; at < Math.max(1, words.length - 3); at++) {
    const run = words.slice(at, at + 4).join(' ');
    runs.set(run, (runs.get(run) ?? 0) + 1);
  }
  return runs;
}

function total(runs) {
  return runs.values().reduce((sum, count) => sum + count, 0);
}

function nameIn(groups, name) {
  return Object.keys(groups).find((group) => groups[group].split(' ').includes(name));
}

function printBy(results, title, groupOf) {
  console.log(`\n${title.padEnd(34)} pages  precision  recall`);
  for (const [group, pages] of Map.groupBy(results, groupOf)) {
    const precisions = pages.flatMap(({ precision }) => precision ?? []);
    const precision = precisions.length === 0 ? '    –' : mean(precisions).toFixed(3);
    const recall = mean(pages.map((page) => page.recall)).toFixed(3);
    console.log(
      `${group.padEnd(34)} ${`${pages.length}`.padStart(5)}  ${precision.padStart(9)}  ${recall.padStart(6)}`,
    );
  }
}
