import { parseArgs } from 'node:util';
import { JOBS } from './jobs.mjs';

const DEFAULTS = { clients: [1, 2, 4, 8, 16], captures: 30, rounds: 5 };
const QUICK = { clients: [1, 4], captures: 8, rounds: 3 };

const USAGE = `Usage: npm run bench -- [compare] [options]
       npm run bench -- <name> [arguments]   another benchmark; bench/README.md lists them

Captures per second and latency of this service over HTTP, against loops of plain Puppeteer in the same browser.

  --quick          few captures, 1 and 4 clients: a smoke test, without reliable speeds
  --clients 1,4    numbers of concurrent captures (default ${DEFAULTS.clients.join(',')})
  --pages plain    pages to capture (default ${Object.keys(JOBS).join(',')})
  --captures N     captures counted in a round (default ${DEFAULTS.captures})
  --rounds N       rounds of each configuration (default ${DEFAULTS.rounds})
  --fields JSON    additional fields of every request to a service, such as {"block_ads": true}
  --pool N         POOL_SIZE of the service (default: its own)
  --against URL    also measure the service at this address. It must reach 127.0.0.1 of this machine, and its rate limit
                   must allow the requests. AGAINST_TOKEN has its bearer token, if it needs one
  --json FILE      also write every figure to a file
  --help           this text
`;

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  clients: { type: 'string' },
  pages: { type: 'string' },
  captures: { type: 'string' },
  rounds: { type: 'string' },
  fields: { type: 'string' },
  pool: { type: 'string' },
  against: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', default: false },
};

/** An invalid command line. The message is shown to the user. */
export class UsageError extends Error {}

/**
 * Parses the command line. Prints the help and returns undefined if help is requested.
 * @throws UsageError
 */
export function readArguments(words) {
  const values = parse(words);
  if (values.help) {
    process.stdout.write(USAGE);
    return undefined;
  }
  const defaults = values.quick ? QUICK : DEFAULTS;
  return {
    clients: readList(values.clients)?.map((text) => wholeNumber('clients', text, 64)) ?? defaults.clients,
    pages: readPages(values.pages),
    captures: readNumber(values, 'captures', 10_000) ?? defaults.captures,
    rounds: readNumber(values, 'rounds', 100) ?? defaults.rounds,
    fields: readFields(values.fields),
    pool: readNumber(values, 'pool', 256),
    against: readAddress(values.against),
    json: values.json,
  };
}

function parse(words) {
  try {
    return parseArgs({ args: words, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(`${error.message} (--help lists the options)`, { cause: error });
  }
}

function readPages(text) {
  const names = readList(text) ?? Object.keys(JOBS);
  const unknown = names.find((name) => !Object.hasOwn(JOBS, name));
  if (unknown !== undefined) {
    throw new UsageError(`--pages: ${unknown} is not one of ${Object.keys(JOBS).join(', ')}`);
  }
  return names;
}

function readNumber(values, name, max) {
  return values[name] === undefined ? undefined : wholeNumber(name, values[name], max);
}

function readFields(text = '{}') {
  try {
    const fields = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields;
  } catch {
    // Not an object.
  }
  throw new UsageError('--fields: not a JSON object');
}

function readAddress(text) {
  if (text === undefined || URL.canParse(text)) return text;
  throw new UsageError('--against: not an address such as http://127.0.0.1:8080');
}

function readList(text) {
  return text?.split(',').map((item) => item.trim());
}

function wholeNumber(name, text, max) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw new UsageError(`--${name}: ${text} is not a whole number from 1 to ${max}`);
}
