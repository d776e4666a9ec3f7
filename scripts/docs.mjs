// npm run docs: updates generated text, which is the tables of docs/reference.md and docs/coming-from.md, .env.example,
// THIRD-PARTY.md and files of src/programs/client/.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { captureSchema } from '../dist/core/capture/request/options.js';
import { conflictRules } from '../dist/core/capture/request/conflicts.js';
import { WARNINGS } from '../dist/core/steps/common/step.js';
import { PHASES } from '../dist/core/steps/common/stopwatch.js';
import { allSettings } from '../dist/core/config/settings.js';
import { PART_SETTINGS } from '../dist/part-settings.js';
import { ERROR_CATALOGUE } from '../dist/core/ground/errors.js';
import { RESPONSE_HEADERS } from '../dist/core/http/answers/response-headers.js';
import { COMPAT } from '../dist/parts/compat/index.js';
import { TOOLS } from '../dist/parts/mcp/tools.js';
import { createMetrics } from '../dist/parts/metrics/metrics.js';
import { PREFIX } from '../dist/parts/metrics/series.js';
import { renderClientSource } from './docs/client-source.mjs';
import { describeMetrics } from './docs/metrics.mjs';
import { renderEnvExample } from './docs/env-example.mjs';
import { fillIn, renderCompat, renderTables } from './docs/tables.mjs';
import { renderThirdParty } from './docs/third-party.mjs';

const root = new URL('../', import.meta.url);
const described = {
  captureSchema,
  settings: allSettings(PART_SETTINGS),
  errors: ERROR_CATALOGUE,
  warnings: WARNINGS,
  phases: PHASES,
  headers: RESPONSE_HEADERS,
  tools: TOOLS,
  conflicts: conflictRules(),
  metrics: await describeMetrics({ createMetrics, prefix: PREFIX }),
};

const tables = renderTables(described);
update('docs/reference.md', (before) => fillIn(before, tables));
update('docs/coming-from.md', (before) => fillIn(before, renderCompat(COMPAT)));
update('.env.example', () => renderEnvExample(allSettings(PART_SETTINGS)));
const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));
update('THIRD-PARTY.md', () => renderThirdParty(lock));
for (const [path, source] of Object.entries(await renderClientSource(described))) update(path, () => source);

function update(path, change) {
  const file = new URL(path, root);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = change(before);
  if (after !== before) writeFileSync(file, after);
  console.log(`${path}: ${after === before ? 'was up to date' : 'updated'}`);
}
