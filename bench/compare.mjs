// npm run bench -- [compare] [options]; `npm run bench -- --help` lists the options.
// Compares the service with plain Puppeteer. Progress goes to standard error, tables and machine to standard output.
import { writeFile } from 'node:fs/promises';
import { readArguments, UsageError } from './arguments.mjs';
import { JOBS } from './jobs.mjs';
import { describeMachine } from './machine.mjs';
import { measure } from './measure.mjs';
import { createBenchSite } from './site.mjs';
import { openLoop } from './loop-process.mjs';
import { openRemoteService, startService } from './service.mjs';
import { memoryTable, speedTable, steadiness } from './table.mjs';

try {
  const options = readArguments(process.argv.slice(2));
  if (options !== undefined) await bench(options);
} catch (error) {
  console.error(`bench: ${error instanceof UsageError ? error.message : (error?.stack ?? error)}`);
  process.exitCode = 1;
}

async function bench(options) {
  await using resources = new AsyncDisposableStack();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void resources.disposeAsync().finally(() => process.exit(130)));
  }

  const site = await createBenchSite({ host: '0.0.0.0' });
  resources.defer(site.close);
  const contenders = await openContenders(options, resources);
  const [service] = contenders;

  const machine = describeMachine(service.browserVersion);
  const sitePort = new URL(site.origin).port;
  const results = [];
  for (const job of options.pages) {
    const { title } = JOBS[job];
    const configurations = options.clients.map((clients) => ({ job, title, clients }));
    const ofJob = await measure(contenders, configurations, { ...options, sitePort, report });
    console.log(`${title}\n\n${speedTable(ofJob)}\n${steadiness(ofJob)}\n`);
    results.push(...ofJob);
  }
  const memory = await Promise.all(contenders.map(async ({ label, tree }) => ({ label, ...(await tree?.memory()) })));

  console.log(`Memory at the end\n\n${memoryTable(memory)}\n`);
  console.log(
    `Rounds: ${options.rounds}, captures counted in each: ${options.captures}. Ratios: median of the rounds (lowest-highest).`,
  );
  console.log(machine.join('\n'));
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify({ machine, options, results, memory }, null, 2)}\n`);
  }
  reportFailures(results);
}

/** The service is first: each ratio compares it with another contender. */
async function openContenders({ pool, fields, against }, resources) {
  report('starting the service and the loops');
  const contenders = [];
  const add = (contender) => {
    resources.defer(contender.close);
    contenders.push(contender);
  };
  add(await startService({ pool, fields }));
  add(await openLoop('fresh', 'Puppeteer, fresh context'));
  add(await openLoop('reused', 'Puppeteer, one page reused'));
  if (against !== undefined) add(openRemoteService(against, fields));
  return contenders;
}

function reportFailures(results) {
  for (const { title, clients, contenders } of results) {
    for (const { label, failures, firstFailure } of contenders) {
      if (failures === 0) continue;
      process.exitCode = 1;
      report(`${title}, clients: ${clients}, ${label}: failed captures: ${failures}, the first with: ${firstFailure}`);
    }
  }
}

function report(line) {
  console.error(`bench: ${line}`);
}
