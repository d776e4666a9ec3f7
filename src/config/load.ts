import type { z } from 'zod';
import { storageContradictions } from '../storage/storage-setting.ts';
import { type Environment, withSecretFiles } from './environment.ts';
import { type Config, SETTINGS, settingsSchema } from './settings.ts';
import type { Setting } from './setting.ts';

/** All problems of the settings, one per line of the message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Parses the settings from an environment. A blank variable counts as unset. A secret may be in a file:
 * `AUTH_TOKEN_FILE`.
 * @throws ConfigError with all problems
 */
export function loadConfig(
  given: Environment,
  { isTerminal = process.stdout.isTTY }: { readonly isTerminal?: boolean } = {},
): Config {
  const { environment, problems } = withSecretFiles(given);
  if (problems.length > 0) throw new ConfigError(problems);
  const parsed = settingsSchema.safeParse(textsOf(environment, isTerminal));
  if (!parsed.success) throw new ConfigError(describeProblems(parsed.error.issues, environment));
  const contradictions = storageContradictions(parsed.data);
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  return parsed.data;
}

/** Returns the text of each setting for the schema: trimmed, with defaults for blank ones. */
function textsOf(environment: Environment, isTerminal: boolean): Environment {
  return Object.fromEntries(
    SETTINGS.map(({ key, name, whenUnset, secret }) => {
      const given = environment[name];
      if (given === undefined || given.trim() === '') return [key, whenUnset({ isTerminal })];
      // Secrets are never changed silently: surrounding white space is refused.
      return [key, secret ? given : given.trim()];
    }),
  );
}

function describeProblems(issues: readonly z.core.$ZodIssue[], environment: Environment): string[] {
  return SETTINGS.flatMap((setting) => {
    const issue = issues.find(({ path }) => path[0] === setting.key);
    return issue === undefined ? [] : [describeProblem(setting, issue, environment[setting.name])];
  });
}

function describeProblem(setting: Setting, issue: z.core.$ZodIssue, given: string | undefined): string {
  // JSON keeps a value with line breaks on one line.
  const value = setting.secret ? 'the value given (not shown)' : JSON.stringify(given);
  const reason = issue.code === 'custom' ? `: ${issue.message}` : '';
  const otherwise =
    setting.defaultText === 'unset' ? 'or remove it' : `or remove it to get the default (${setting.defaultText})`;
  return `${setting.name}: ${value} is not accepted${reason}. Set it to ${setting.form}, ${otherwise}.`;
}
