// A plain Puppeteer script as people write it, in a process of its own: `loops.mjs fresh` or `loops.mjs reused`. The
// browser, its flags and its environment are the service's. loop-process.mjs starts it and asks it for rounds.
import { launchPlainBrowser } from './plain-browser.mjs';
import { CAPTURE_LIMIT_MS, checkPicture, runRound, WINDOW } from './round.mjs';

const PREPARE = { fresh: prepareFresh, reused: prepareReused };

const prepare = PREPARE[process.argv[2]];
const browser = await launchPlainBrowser();
process.once('disconnect', () => void browser.close().finally(() => process.exit()));
process.on('message', (order) => {
  runOrder(order)
    .then((round) => process.send({ round }))
    .catch((error) => process.send({ failure: String(error) }));
});
process.send({ browserVersion: await browser.version() });

async function runOrder({ clients, ...order }) {
  const { capture, close } = await prepare(clients);
  try {
    return await runRound({ ...order, clients, capture });
  } finally {
    await close();
  }
}

function prepareFresh() {
  return { capture: captureInFreshContext, close: async () => {} };
}

/** Closing the context counts for captures per second, not for how long a capture took. */
async function captureInFreshContext(url) {
  const startedAt = performance.now();
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.setViewport(WINDOW);
    return await captureInto(page, url, startedAt);
  } finally {
    await context.close();
  }
}

/** One page for each client, from site to site. Nothing keeps one capture from another. */
async function prepareReused(clients) {
  const pages = await Promise.all(
    Array.from({ length: clients }, async () => {
      const page = await browser.newPage();
      await page.setViewport(WINDOW);
      return page;
    }),
  );
  return {
    capture: (url, client) => captureInto(pages[client], url, performance.now()),
    close: () => Promise.all(pages.map((page) => page.close())),
  };
}

async function captureInto(page, url, startedAt) {
  await page.goto(url, { timeout: CAPTURE_LIMIT_MS });
  const picture = await page.screenshot({ optimizeForSpeed: true });
  const durationMs = performance.now() - startedAt;
  return {
    durationMs,
    bytes: checkPicture(Buffer.from(picture.buffer, picture.byteOffset, 24), picture.length),
  };
}
