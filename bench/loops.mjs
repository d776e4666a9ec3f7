// A typical plain Puppeteer script in a separate process: `loops.mjs fresh` or `loops.mjs reused`. The
// browser, its flags and its environment are the service's. loop-process.mjs starts it and requests rounds.
import { CAPTURE_LIMIT_MS, JOBS, WINDOW } from './jobs.mjs';
import { launchPlainBrowser } from './plain-browser.mjs';
import { runRound } from './round.mjs';

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

async function runOrder({ job: name, clients, ...order }) {
  const job = JOBS[name];
  const { capture, close } = await prepare(clients, job);
  try {
    return await runRound({ ...order, path: job.path, clients, capture });
  } finally {
    await close();
  }
}

/** Closing the context counts for captures per second, but not for the duration of a capture. */
function prepareFresh(_clients, job) {
  const capture = async (url) => {
    const startedAt = performance.now();
    const context = await browser.createBrowserContext();
    try {
      const page = await context.newPage();
      await page.setViewport(WINDOW);
      return await captureInto(page, { url, job, startedAt });
    } finally {
      await context.close();
    }
  };
  return { capture, close: async () => {} };
}

/** One page per client, used for one site after the other. Captures are not isolated from each other. */
async function prepareReused(clients, job) {
  const pages = await Promise.all(
    Array.from({ length: clients }, async () => {
      const page = await browser.newPage();
      await page.setViewport(WINDOW);
      return page;
    }),
  );
  return {
    capture: (url, client) => captureInto(pages[client], { url, job, startedAt: performance.now() }),
    close: () => Promise.all(pages.map((page) => page.close())),
  };
}

async function captureInto(page, { url, job, startedAt }) {
  await page.goto(url, { timeout: CAPTURE_LIMIT_MS });
  const result = await job.shoot(page);
  const durationMs = performance.now() - startedAt;
  job.check(Buffer.from(result.buffer, result.byteOffset, 24));
  return { durationMs, bytes: result.length };
}
