import { config as loadDotenv } from 'dotenv';
import leven from 'leven';
import { errorCode } from '../ground/errors.ts';
import { readAtMost } from '../ground/read-at-most.ts';
import type { Setting } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const FILE_SUFFIX = '_FILE';
const MAX_SECRET_BYTES = 65_536;
/** Shorter names are likely to be variables of other programs: `HOME` is near `HOST`. */
const MIN_MISSPELT_LENGTH = 6;
const MAX_DISTANCE = 2;

/**
 * Returns the environment of this process, with values from `.env` in the working directory for unset variables. A
 * copy, so that secrets of `.env` are not passed to the browser.
 */
export function readEnvironment(): Record<string, string | undefined> {
  const fromFile: Record<string, string> = {};
  loadDotenv({ processEnv: fromFile, quiet: true });
  // The packages of OpenTelemetry read their variables themselves.
  for (const [name, value] of Object.entries(fromFile)) if (name.startsWith('OTEL_')) process.env[name] ??= value;
  return { ...fromFile, ...process.env };
}

/**
 * Returns the environment with the secrets of the files that variables such as `AUTH_TOKEN_FILE` name, as Docker and
 * Kubernetes mount them, and what is wrong with these files. A missing or empty file is a problem: the service would
 * run without its token.
 */
export function withSecretFiles(
  environment: Environment,
  settings: readonly Setting[],
): {
  readonly environment: Environment;
  readonly problems: readonly string[];
} {
  const secrets = new Map<string, string>();
  const problems: string[] = [];
  for (const { name } of settings.filter(({ secret }) => secret)) {
    const path = environment[`${name}${FILE_SUFFIX}`]?.trim() ?? '';
    if (path === '') continue;
    const isSet = (environment[name]?.trim() ?? '') !== '';
    const read = isSet ? { problem: `${name} is set, too. Remove one of them` } : readSecret(path);
    if ('problem' in read) problems.push(`${name}${FILE_SUFFIX}: ${read.problem}.`);
    else secrets.set(name, read.secret);
  }
  return { environment: { ...environment, ...Object.fromEntries(secrets) }, problems };
}

function readSecret(path: string): { readonly secret: string } | { readonly problem: string } {
  try {
    const bytes = readAtMost(path, MAX_SECRET_BYTES);
    if (bytes === undefined) return { problem: `the file has more than ${MAX_SECRET_BYTES} bytes` };
    const secret = bytes.toString('utf8').replace(/\r?\n$/, '');
    return secret === '' ? { problem: 'the file is empty' } : { secret };
  } catch (error) {
    return { problem: `the file can't be read: ${errorCode(error) ?? String(error)}` };
  }
}

/** Returns variables that are probably misspelt settings, with the setting that was meant. */
export function misspeltSettings(
  environment: Environment,
  settings: readonly Setting[],
): readonly { name: string; setting: string }[] {
  const known = settings.flatMap(({ name, secret }) => (secret ? [name, `${name}${FILE_SUFFIX}`] : [name]));
  return Object.keys(environment).flatMap((name) => {
    if (name.length < MIN_MISSPELT_LENGTH || known.includes(name.toUpperCase())) return [];
    const setting = known.find((each) => leven(each, name) <= MAX_DISTANCE);
    return setting === undefined ? [] : [{ name, setting }];
  });
}
