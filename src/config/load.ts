import { config as loadDotenv } from 'dotenv';
import type { z } from 'zod';
import { storageContradictions } from '../storage/storage-setting.ts';
import { type Config, SETTINGS, settingsSchema } from './settings.ts';
import type { Setting } from './setting.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that is wrong with the settings: one line of the message for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * The settings that an environment means. A blank variable counts as unset.
 * @throws ConfigError with every problem, not only the first.
 */
export function loadConfig(
  environment: Environment,
  { isTerminal = process.stdout.isTTY }: { readonly isTerminal?: boolean } = {},
): Config {
  const parsed = settingsSchema.safeParse(textsOf(environment, isTerminal));
  if (!parsed.success) throw new ConfigError(describeProblems(parsed.error.issues, environment));
  const contradictions = storageContradictions(parsed.data);
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  return parsed.data;
}

/**
 * The environment of this process with `.env` of the working directory beneath it. A copy: what `.env` holds, secrets
 * above all, is not handed on to the browser's process.
 */
export function readEnvironment(): Record<string, string | undefined> {
  const fromFile: Record<string, string> = {};
  loadDotenv({ processEnv: fromFile, quiet: true });
  return { ...fromFile, ...process.env };
}

/** The text of each setting, ready for the schema: trimmed, blank ones replaced by their default. */
function textsOf(environment: Environment, isTerminal: boolean): Environment {
  return Object.fromEntries(
    SETTINGS.map(({ key, name, whenUnset, secret }) => {
      const given = environment[name];
      if (given === undefined || given.trim() === '') return [key, whenUnset({ isTerminal })];
      // A secret is never changed silently: with white space around it, it is refused.
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
    setting.defaultText === 'unset'
      ? 'or remove it'
      : `or remove it to get the default (${setting.defaultText})`;
  return `${setting.name}: ${value} is not accepted${reason}. Set it to ${setting.form}, ${otherwise}.`;
}
