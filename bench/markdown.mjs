// Measures markdown of the main content with public data that is not part of this project.
//   npm run bench -- markdown ARTICLES [READABILITY]
// ARTICLES is a clone of scrapinghub/article-extraction-benchmark. Prints precision, recall and F1 of runs of four
// words, as its evaluate.py does, for the service, for the service without captions, which the expected texts do not
// have, for Readability alone in the same browser, and for trafilatura if Python has it. READABILITY is a clone of
// mozilla/readability. Prints the share of headings, list items, cells and code blocks of its expected pages that the
// markdown has.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { launchPlainBrowser } from './plain-browser.mjs';
import { startService } from './service.mjs';
import { mean, quantile } from './statistics.mjs';

const [articles, readability] = process.argv.slice(2);
if (articles === undefined) throw new Error('bench: markdown needs the folder of article-extraction-benchmark');
const BLOCKED = 'image media font stylesheet script xhr fetch websocket iframe other'.split(' ');
const NO_CAPTIONS = ['figcaption', '[class*="caption"]'];
const TRAFILATURA = 'import sys, trafilatura; print(trafilatura.extract(sys.stdin.read()) or "")';
const ITEMS = { headings: 'h1, h2, h3, h4, h5, h6', 'list items': 'li', cells: 'td, th', 'code blocks': 'pre' };

const service = await startService({});
const browser = await launchPlainBrowser();
try {
  await measureArticles();
  if (readability !== undefined) await measurePages();
} finally {
  await Promise.all([service.close(), browser.close()]);
}

async function measureArticles() {
  const truth = JSON.parse(readFileSync(join(articles, 'ground-truth.json'), 'utf8'));
  const hasTrafilatura = spawnSync('python3', ['-c', 'import trafilatura']).status === 0;
  const contenders = {
    service: (html) => markdownText(html),
    'service, no captions': (html) => markdownText(html, { hide_selectors: NO_CAPTIONS }),
    Readability: readabilityText,
    ...(hasTrafilatura && { trafilatura: trafilaturaText }),
  };
  for (const [name, textOf] of Object.entries(contenders)) {
    const [scores, times] = [[], []];
    for (const [id, { articleBody }] of Object.entries(truth)) {
      const html = gunzipSync(readFileSync(join(articles, 'html', `${id}.html.gz`))).toString('utf8');
      const startedAt = performance.now();
      const text = await textOf(html);
      times.push(performance.now() - startedAt);
      scores.push(scoreOf(articleBody, text));
    }
    const [precision, recall] = ['precision', 'recall'].map((key) => mean(scores.map((score) => score[key])));
    const f1 = (2 * precision * recall) / (precision + recall);
    const shown = [f1, precision, recall].map((value) => value.toFixed(3)).join('  ');
    console.log(`${name.padEnd(22)} F1, precision, recall: ${shown}   p50 ${quantile(times, 0.5).toFixed(0)} ms`);
  }
}

async function measurePages() {
  const folder = join(readability, 'test/test-pages');
  const counts = Object.fromEntries(Object.keys(ITEMS).map((kind) => [kind, { found: 0, all: 0 }]));
  const page = await browser.newPage();
  for (const name of readdirSync(folder).filter((each) => existsSync(join(folder, each, 'expected.html')))) {
    const [source, expected] = ['source', 'expected'].map((file) =>
      readFileSync(join(folder, name, `${file}.html`), 'utf8'),
    );
    const has = bare(await markdownText(source));
    for (const [kind, selector] of Object.entries(ITEMS)) {
      const texts = await page.evaluate(textsOf, expected, selector);
      const expectedTexts = texts.map((text) => bare(text.replaceAll(/\[edit\]|¶/g, ''))).filter((text) => text !== '');
      counts[kind].all += expectedTexts.length;
      counts[kind].found += expectedTexts.filter((text) => has.includes(text)).length;
    }
  }
  for (const [kind, { found, all }] of Object.entries(counts))
    console.log(`${kind.padEnd(22)} ${found} of ${all} (${((100 * found) / all).toFixed(1)} %)`);
}

/** Text of the markdown without the line of the title, marks and addresses. */
async function markdownText(html, fields = {}) {
  const response = await fetch(new URL('/capture', service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      html_content: html,
      format: 'markdown',
      javascript: false,
      block_resources: BLOCKED,
      ...fields,
    }),
  });
  if (!response.ok) throw new Error(`bench: status ${response.status}: ${await response.text()}`);
  return (await response.text())
    .replace(/^\s*# .*\n/, '')
    .replaceAll(/^```.*$/gm, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replaceAll(/\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g, ' ')
    .replaceAll('<br>', ' ')
    .replaceAll(/[\\*_`~[\]]/g, '');
}

async function readabilityText(html) {
  const page = await browser.newPage();
  try {
    await page.setJavaScriptEnabled(false);
    await page.setRequestInterception(true);
    page.on('request', (request) => void (request.isNavigationRequest() ? request.continue() : request.abort()));
    await page.setContent(html, { waitUntil: 'domcontentloaded' });
    const code = readFileSync(fileURLToPath(import.meta.resolve('@mozilla/readability/Readability.js')), 'utf8');
    return (
      (await page.evaluate(`(() => { ${code}; return new Readability(document).parse()?.textContent ?? ''; })()`)) ?? ''
    );
  } finally {
    await page.close();
  }
}

function trafilaturaText(html) {
  return spawnSync('python3', ['-c', TRAFILATURA], { input: html, encoding: 'utf8' }).stdout;
}

/** Runs in the page. */
function textsOf(html, selector) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  return [...parsed.querySelectorAll(selector)]
    .filter((each) => each.querySelector('li, table') === null)
    .map((each) => each.textContent);
}

function bare(text) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function scoreOf(expected, text) {
  const [truth, found] = [expected, text].map(runsOf);
  let shared = 0;
  for (const [run, count] of found) shared += Math.min(count, truth.get(run) ?? 0);
  return { precision: shared / Math.max(total(found), 1), recall: shared / Math.max(total(truth), 1) };
}

function runsOf(text) {
  const words = text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const runs = new Map();
  for (let at = 0; at < Math.max(1, words.length - 3); at++) {
    const run = words.slice(at, at + 4).join(' ');
    if (run !== '') runs.set(run, (runs.get(run) ?? 0) + 1);
  }
  return runs;
}

function total(runs) {
  return [...runs.values()].reduce((sum, count) => sum + count, 0);
}
