// Brings the README's tables up to date with the code: npm run docs
import { readFileSync, writeFileSync } from 'node:fs';
import { captureSchema } from '../dist/capture/options.js';
import { WARNINGS } from '../dist/capture/step.js';
import { SETTINGS } from '../dist/config-settings.js';
import { ERROR_CATALOGUE } from '../dist/errors.js';
import { RESPONSE_HEADERS } from '../dist/http/response-headers.js';
import { fillIn, renderTables } from './docs/tables.mjs';

const readme = new URL('../README.md', import.meta.url);
const tables = renderTables({
  captureSchema,
  settings: SETTINGS,
  errors: ERROR_CATALOGUE,
  warnings: WARNINGS,
  headers: RESPONSE_HEADERS,
});

const before = readFileSync(readme, 'utf8');
const after = fillIn(before, tables);
writeFileSync(readme, after);
console.log(after === before ? 'README.md was up to date' : 'README.md: tables brought up to date');
