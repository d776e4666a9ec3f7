import { parseOptions } from '../../core/capture/request/parse-options.ts';
import { checkSignedAnswer, checkSignedFields } from '../../core/capture/request/sensitive-fields.ts';
import { signUrl } from '../client/sign-url.ts';
import { loadConfig } from '../../core/config/load.ts';
import { PART_SETTINGS } from '../../part-settings.ts';
import type { Config } from '../../core/config/settings.ts';
import { ServiceError } from '../../core/ground/errors.ts';
import { type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command } from './context.ts';
import { EXIT, UsageError } from './exit.ts';
import { FIELD_FLAGS, readFields } from './field-flags.ts';
import { readTarget } from './target.ts';

const DEFAULT_LIFETIME_SECONDS = 3600; // the same value as in `POST /sign` and the client

export const SIGN_SYNTAX: CommandSyntax = {
  name: 'sign',
  usage: ['<address, file or -> [--expires-in SECONDS] [--service URL] [...]'],
  examples: ['sign example.com --format pdf --expires-in 600'],
  summary: 'Prints a link signed with URL_SIGNING_SECRET. The link makes this capture without a token.',
  flags: [
    {
      name: 'expires-in',
      placeholder: 'SECONDS',
      description: `Lifetime of the link in seconds. Default: ${DEFAULT_LIFETIME_SECONDS}`,
    },
    {
      name: 'key',
      placeholder: 'ID',
      description: 'Id of the key that the link belongs to. URL_SIGNING_SECRET is then one of its signing_secrets',
    },
    {
      name: 'service',
      placeholder: 'URL',
      description: 'URL of the service in the link. Default: CAPTURE_SERVICE, or from the settings HOST and PORT',
    },
  ],
  fields: FIELD_FLAGS,
  maxPositionals: 1,
};

/** Prints a signed link. Refuses links that the service would refuse. */
export const signCommand: Command = async (args, { environment, stdin, stdout }) => {
  const given = parseArguments(SIGN_SYNTAX, args);
  const config = loadConfig(environment, PART_SETTINGS);
  const secret = config.urlSigningSecret;
  if (secret === undefined) {
    throw new UsageError(
      'URL_SIGNING_SECRET is not set: set it in .env or in the environment, to the same value as the service.',
    );
  }
  const [target] = given.positionals;
  const { files, ...source } = target === undefined ? {} : await readTarget(target, stdin);
  const texts = Object.entries(files ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  const fields = {
    ...(texts.length > 0 && { files: Object.fromEntries(texts) }),
    ...(await readFields(given.values, stdin)),
    ...source,
  };
  refuseWhatTheServiceWould(fields, config);
  const lifetime = given.text('expires-in') ?? String(DEFAULT_LIFETIME_SECONDS);
  if (!/^[1-9]\d{0,9}$/.test(lifetime)) {
    throw new UsageError(`--expires-in ${lifetime} is not a whole number of seconds with at most ten digits.`);
  }
  const service = given.text('service') ?? (environment['CAPTURE_SERVICE'] || ownAddress(config));
  try {
    const link = { service, secret, expiresIn: Number(lifetime), key: given.text('key') };
    stdout.write(`${await signUrl(fields, link)}\n`);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
  return EXIT.ok;
};

function refuseWhatTheServiceWould(fields: Readonly<Record<string, unknown>>, config: Config): void {
  try {
    checkSignedFields(new Set(Object.keys(fields)), config.signedUrlAllow);
    // Only the service knows its templates.
    if (fields['template'] === undefined) checkSignedAnswer(parseOptions(fields, config).capture);
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.details ?? error.message, { cause: error });
    throw error;
  }
}

function ownAddress({ host, port }: Config): string {
  if (port === 0) throw new UsageError('PORT is 0: set the address of the service with --service.');
  // The address of "all interfaces" is not an address to connect to.
  const connectHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${connectHost.includes(':') ? `[${connectHost}]` : connectHost}:${port}`;
}
