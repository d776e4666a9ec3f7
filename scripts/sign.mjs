// Prints a signed link: npm run sign -- https://example.com/ format=pdf expires_in=600
import { parseArgs } from 'node:util';

import { sign, signedQuery, verifySignature } from '../dist/auth/signature.js';
import { FIELD_NAMES } from '../dist/capture/options.js';
import { parseTextOptions } from '../dist/capture/parse-options.js';
import { checkSignedFields } from '../dist/capture/sensitive-fields.js';
import { loadConfig, readEnvironment } from '../dist/config.js';

const USAGE =
  'Usage: npm run sign -- <url> [field=value ...] [expires_in=SECONDS] [--base http://127.0.0.1:8080]';
const DEFAULT_LIFETIME_SECONDS = 3600; // spec 5.2 step 1

try {
  process.stdout.write(`${signedLink(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${error.details ?? error.message}\n`);
  process.exitCode = 1;
}

function signedLink(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { base: { type: 'string' } },
    allowPositionals: true,
  });
  const [url, ...assignments] = positionals;
  if (url === undefined) throw new Error(USAGE);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Error(`"${url}" is not an absolute http or https address. ${USAGE}`);
  }

  const config = loadConfig(readEnvironment());
  if (config.urlSigningSecret === undefined) {
    throw new Error(
      'URL_SIGNING_SECRET is not set: set it in .env or in the environment, to the same value as the service.',
    );
  }

  const params = new Map([['url', url], ...parseAssignments(assignments)]);
  const lifetime = params.get('expires_in') ?? String(DEFAULT_LIFETIME_SECONDS);
  params.delete('expires_in');
  if (!/^[1-9]\d{0,9}$/.test(lifetime))
    throw new Error(`expires_in=${lifetime} is not a whole number of seconds, 1 or more.`);
  checkSignedFields(params, config.signedUrlAllow);
  parseTextOptions(params, config); // a link that the service would refuse is not worth signing
  params.set('expires', String(Math.floor(Date.now() / 1000) + Number(lifetime)));

  checkUnambiguous(params, config.urlSigningSecret);
  return `${captureAddress(values.base, config)}?${signedQuery(params, config.urlSigningSecret)}`;
}

/** Asks the service's own rules: raw values can make the signed text mean two things. */
function checkUnambiguous(params, secret) {
  const signed = new Map([...params, ['signature', sign(params, secret)]]);
  verifySignature({ params: signed, secret, nowSeconds: 0, knownFields: FIELD_NAMES });
}

function parseAssignments(assignments) {
  const seen = new Set(['url', 'expires', 'signature']);
  return assignments.map((assignment) => {
    const [, name, value] = /^([a-z_]+)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined) throw new Error(`"${assignment}" is not of the form field=value.`);
    if (seen.has(name))
      throw new Error(`"${name}" is set by this command or given twice; leave it out here.`);
    seen.add(name);
    return [name, value];
  });
}

function captureAddress(base, { host, port }) {
  if (base === undefined && port === 0)
    throw new Error('PORT is 0, so say where the service listens with --base.');
  // An address that means "every interface" is no address to connect to.
  const connectHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = base ?? `http://${connectHost.includes(':') ? `[${connectHost}]` : connectHost}:${port}`;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new Error(`--base ${address} is not an http or https address such as http://127.0.0.1:8080.`);
  }
  return `${address.replace(/\/+$/, '')}/capture`;
}
