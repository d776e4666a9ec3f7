// npm run bench -- templates [rounds] [captures] [clients]
// Compares a card of 1200 x 630 from the example template with the same page as `html_content`, in turns. Nothing is
// cached. The control repeats `html_content`, and so shows the noise.
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { openTemplates } from '../dist/parts/templates/templates.js';
import { createHttpClient } from './http-client.mjs';
import { CAPTURE_LIMIT_MS, isPng } from './jobs.mjs';
import { describeMachine } from './machine.mjs';
import { measure } from './measure.mjs';
import { runRound } from './round.mjs';
import { startService } from './service.mjs';
import { speedTable } from './table.mjs';

const [rounds = 30, captures = 20, clients = 4] = process.argv.slice(2).map(Number);
const FOLDER = fileURLToPath(new URL('../examples/templates', import.meta.url));
const CARD = { width: 1200, height: 630 };
const LEAST_SPEED_RATIO = 0.95;

const { template, page } = await readFields();
const service = await startService({ settings: { TEMPLATES_DIR: FOLDER } });
const client = createHttpClient(service.url);
try {
  const results = await measure(
    [contender('template', template), contender('html_content', page), contender('control', page)],
    [{ job: 'card', title: 'Card', clients }],
    { captures, rounds, report: (line) => console.error(`bench: ${line}`) },
  );
  console.log(`${speedTable(results)}\n\n${describeMachine(service.browserVersion).join('\n')}`);
  const [{ contenders }] = results;
  const failures = contenders.filter(({ firstFailure }) => firstFailure !== undefined);
  for (const { label, firstFailure } of failures) console.error(`bench: ${label}: ${firstFailure}`);
  const isEnough = contenders[1].speedRatio.median >= LEAST_SPEED_RATIO;
  if (!isEnough) console.log('captures/s of the template: NOT ENOUGH');
  if (!isEnough || failures.length > 0) process.exitCode = 1;
} finally {
  client.close();
  await service.close();
}

/** Returns the fields of both captures. The page is the one that the service makes of the template. */
async function readFields() {
  const limits = { maxWaitMs: CAPTURE_LIMIT_MS };
  const templates = await openTemplates({ folder: FOLDER, limits, log: pino({ level: 'silent' }) });
  const { schema } = templates.list().find(({ name }) => name === 'card');
  const fields = { template: 'card', data: schema.examples[0] };
  const { capture } = await templates.parse(fields, { limits });
  await templates.close();
  const size = { window_width: CARD.width, window_height: CARD.height };
  return { template: { ...fields, ...size }, page: { html_content: capture.html_content, ...size } };
}

function contender(label, fields) {
  const job = { fields, check: isPng(CARD) };
  return {
    label,
    tree: service.tree,
    // Neither capture has an address.
    run: (order) => runRound({ ...order, capture: () => client.capture(undefined, job) }),
  };
}
