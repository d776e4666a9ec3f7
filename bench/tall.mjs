// npm run bench -- tall
// Compares a png of a page of 40,000 px at density 2 over HTTP with one bare `Page.captureScreenshot` in a plain
// Puppeteer script, in turns: time, peak memory of each process tree, and the colour of every band. Then it measures
// how soon after the page's load a webp of the same page is refused, because webp cannot hold it.
import { createServer } from 'node:http';
import sharp from 'sharp';
import { launchPlainBrowser } from './plain-browser.mjs';
import { createProcessTree } from './process-tree.mjs';
import { WINDOW } from './jobs.mjs';
import { startService } from './service.mjs';

const ROUNDS = Number(process.argv[2] ?? 3);
const HEIGHT = 40_000;
const BAND = 100;
const DENSITY = 2;
const SAMPLE_MS = 50;
const LIMIT_MS = 120_000;
const COLOURS = [
  [200, 30, 30],
  [30, 160, 60],
  [40, 60, 200],
  [240, 200, 0],
  [20, 20, 20],
];

const site = await createTallSite();
const service = await startService({ settings: { MAX_PIXELS: '1000000000' } });
try {
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const ours = await measure(service.tree, captureOverHttp);
    const bare = await measureBare();
    rounds.push({ ours, bare });
    console.log(
      `round ${round} of ${ROUNDS}: service ${show(ours)}; bare ${show(bare)}; time, ours / bare: ${(ours.ms / bare.ms).toFixed(2)}`,
    );
  }
  const ratios = rounds.map(({ ours, bare }) => ours.ms / bare.ms).toSorted((a, b) => a - b);
  console.log(`time, ours / bare: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`);
  console.log(
    `peak of the service's tree: ${Math.max(...rounds.map(({ ours }) => ours.megabytes)).toFixed(0)} MB (PSS)`,
  );
  const refusals = [];
  for (let round = 1; round <= ROUNDS; round++) refusals.push(await refuse());
  console.log(`webp: refused after load: ${refusals.map((ms) => `${ms.toFixed(0)} ms`).join(', ')}`);
  if (rounds.some(({ ours }) => ours.wrong !== 0)) process.exitCode = 1;
} finally {
  await service.close();
  site.close();
}

/**
 * Runs in this process, because a separate script would be one more process. Memory of the bench is excluded: it holds
 * the pictures.
 */
async function measureBare() {
  const browser = await launchPlainBrowser();
  try {
    const page = await browser.newPage();
    const session = await page.createCDPSession();
    // page.setViewport() belongs to another session and is lost when this session captures beyond the window.
    await session.send('Emulation.setDeviceMetricsOverride', {
      ...WINDOW,
      deviceScaleFactor: DENSITY,
      mobile: false,
    });
    return await measure(createProcessTree(browser.process().pid), async () => {
      await page.goto(site.url, { timeout: LIMIT_MS });
      const { data } = await session.send('Page.captureScreenshot', {
        format: 'png',
        optimizeForSpeed: true,
        captureBeyondViewport: true,
        clip: { x: 0, y: 0, width: WINDOW.width, height: HEIGHT, scale: 1 },
      });
      return Buffer.from(data, 'base64');
    });
  } finally {
    await browser.close();
  }
}

/**
 * Returns bytes of the picture, milliseconds, peak memory of the process tree in megabytes and the number of wrong
 * bands.
 */
async function measure(tree, capture) {
  let megabytes = 0;
  const sampler = setInterval(() => {
    void tree.memory().then(({ pssMegabytes }) => {
      megabytes = Math.max(megabytes, pssMegabytes);
    });
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const picture = await capture();
  const ms = performance.now() - startedAt;
  clearInterval(sampler);
  return { ms, megabytes, bytes: picture.length, wrong: await countWrongBands(picture) };
}

function show({ ms, megabytes, bytes, wrong }) {
  return `${ms.toFixed(0)} ms, peak ${megabytes.toFixed(0)} MB, ${(bytes / 1e6).toFixed(1)} MB, wrong bands: ${wrong}`;
}

async function captureOverHttp() {
  const response = await post({ format: 'png' });
  if (response.status !== 200) throw new Error(await response.text());
  return Buffer.from(await response.arrayBuffer());
}

async function refuse() {
  const response = await post({ format: 'webp' });
  const answeredAt = performance.now();
  const { error_type: errorType } = await response.json();
  if (response.status !== 400 || errorType !== 'ResultTooLargeError')
    throw new Error(`webp: ${response.status} ${errorType}`);
  return answeredAt - site.loadedAt();
}

function post(fields) {
  return fetch(new URL('/capture', service.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      url: site.url,
      window_width: WINDOW.width,
      window_height: WINDOW.height,
      pixel_density: DENSITY,
      full_page: true,
      full_page_scroll: false,
      ...fields,
    }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
}

/** Checks the middle of every band, and the first and last row of the picture. */
async function countWrongBands(picture) {
  const { width, height } = await sharp(picture, { limitInputPixels: false }).metadata();
  if (width !== WINDOW.width * DENSITY || height !== HEIGHT * DENSITY) return `all, the size is ${width}x${height}`;
  const { data, info } = await sharp(picture, { limitInputPixels: false })
    .extract({ left: WINDOW.width, top: 0, width: 1, height: HEIGHT * DENSITY })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const isWrong = (row) => {
    const expected = COLOURS[Math.floor(row / (BAND * DENSITY)) % COLOURS.length];
    return expected.some((value, channel) => data[row * info.channels + channel] !== value);
  };
  const middles = Array.from({ length: HEIGHT / BAND }, (_, band) => (band + 0.5) * BAND * DENSITY);
  return [0, ...middles, HEIGHT * DENSITY - 1].filter(isWrong).length;
}

/** Serves a page with colour bands and a line of text in each. The page reports its load. */
async function createTallSite() {
  const bands = Array.from({ length: HEIGHT / BAND }, (_, band) => {
    const colour = `rgb(${COLOURS[band % COLOURS.length].join()})`;
    return `<div style="background:${colour}">Band ${band}: ${'the quick brown fox '.repeat(3)}</div>`;
  });
  const page = `<!doctype html><meta charset="utf-8"><style>
body{margin:0}div{height:${BAND}px;overflow:hidden;color:#fff;font:20px sans-serif;width:600px;padding-right:${WINDOW.width - 600}px}
</style>${bands.join('')}<script>onload = () => navigator.sendBeacon('/loaded')</script>`;
  let loadedAt = NaN;
  const server = createServer((request, response) => {
    if (request.url === '/loaded') loadedAt = performance.now();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    loadedAt: () => loadedAt,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
