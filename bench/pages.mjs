// Times pages that exist, beside a script that waits for `load` and `networkidle2`, in the same run.
//   npm run bench -- pages ADDRESSES [AT_ONCE] [KINDS]
// ADDRESSES is a file with an address on each line. AT_ONCE is the number of captures at once (default 2), KINDS some of
// view,full,pdf. Prints median and 90th percentile of both and their ratios, the time of each phase, and the pages on
// which the service loses the most time against the script. EGRESS_ALLOW must allow private addresses.
import { readFileSync } from 'node:fs';
import { launchPlainBrowser } from './plain-browser.mjs';
import { startService } from './service.mjs';
import { mean, quantile } from './statistics.mjs';

const [file, atOnce = '2', kindList = 'view,full,pdf'] = process.argv.slice(2);
if (file === undefined) throw new Error('bench: pages needs a file of addresses');
const FIELDS = { view: {}, full: { full_page: true }, pdf: { format: 'pdf' } };
const VIEWPORT = { width: 1280, height: 720 };
const LIMIT_MS = 60_000;
const SHOWN = 10;

const addresses = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const kinds = kindList.split(',');
const service = await startService({ EGRESS_ALLOW: process.env['EGRESS_ALLOW'] ?? '127.0.0.0/8', POOL_SIZE: atOnce });
const browser = await launchPlainBrowser();
try {
  const queue = addresses.flatMap((address) => kinds.map((kind) => ({ address, kind })));
  const results = [];
  await Promise.all(
    Array.from({ length: Number(atOnce) }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        // Each contender is first on every other page.
        const order = queue.length % 2 === 0 ? [byService, byScript] : [byScript, byService];
        const result = { ...next };
        for (const run of order) Object.assign(result, await run(next));
        results.push(result);
      }
    }),
  );
  for (const kind of kinds)
    report(
      kind,
      results.filter((each) => each.kind === kind && each.failed === undefined),
    );
  for (const { address, kind, failed } of results.filter((each) => each.failed))
    console.log(`left out: ${kind} ${address}: ${failed}`);
} finally {
  await Promise.all([service.close(), browser.close()]);
}

async function byService({ address, kind }) {
  const startedAt = performance.now();
  const answer = await fetch(`${service.url}/capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: address, ...FIELDS[kind] }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) return { failed: `service: ${answer.status}` };
  const phases = [...(answer.headers.get('server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)];
  return {
    service: performance.now() - startedAt,
    phases: Object.fromEntries(phases.map(([, name, ms]) => [name, Number(ms)])),
  };
}

async function byScript({ address, kind }) {
  const context = await browser.createBrowserContext();
  const startedAt = performance.now();
  try {
    const page = await context.newPage();
    await page.setViewport(VIEWPORT);
    await page.goto(address, { waitUntil: ['load', 'networkidle2'], timeout: LIMIT_MS });
    if (kind === 'pdf') await page.pdf({ timeout: LIMIT_MS });
    else await page.screenshot({ fullPage: kind === 'full' });
    return { script: performance.now() - startedAt };
  } catch (error) {
    return { failed: `script: ${error.message.slice(0, 60)}` };
  } finally {
    await context.close();
  }
}

function report(kind, results) {
  const times = (name) => results.map((each) => each[name]);
  const ratio = (part) => (quantile(times('service'), part) / quantile(times('script'), part)).toFixed(2);
  const ms = (name, part) => `${quantile(times(name), part).toFixed(0)} ms`;
  console.log(`\n${kind}: ${results.length} pages`);
  for (const [name, part] of [
    ['p50', 0.5],
    ['p90', 0.9],
  ])
    console.log(`  ${name}  service ${ms('service', part)}  script ${ms('script', part)}  ratio ${ratio(part)}`);
  const names = Object.keys(results[0]?.phases ?? {});
  console.log(
    `  mean  ${names.map((name) => `${name} ${mean(results.map(({ phases }) => phases[name])).toFixed(0)} ms`).join('  ')}`,
  );
  const lost = results.toSorted((one, two) => two.service - two.script - (one.service - one.script)).slice(0, SHOWN);
  for (const { address, service: own, script, phases } of lost) {
    const parts = names.map((name) => `${name} ${phases[name].toFixed(0)}`).join(' ');
    console.log(`  ${own.toFixed(0).padStart(6)} / ${script.toFixed(0).padStart(6)} ms  ${parts}  ${address}`);
  }
}
