import { z } from 'zod';
import { type Environment, withSecretFiles } from './environment.ts';
import { type AddedSettings, allSettings, type Config, CORE_SETTINGS } from './settings.ts';
import type { ConfigOf, Setting, SettingRows } from './setting.ts';

/** All problems of the settings, one per line of the message. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Parses the settings of the core and of the parts from an environment. A blank variable counts as unset. A secret may
 * be in a file: `AUTH_TOKEN_FILE`.
 * @throws ConfigError with all problems
 */
export function loadConfig<Rows extends SettingRows>(
  given: Environment,
  added: AddedSettings<Rows>,
  { isTerminal = process.stdout.isTTY }: { readonly isTerminal?: boolean } = {},
): Config & ConfigOf<Rows> {
  const settings = allSettings(added);
  const { environment, problems } = withSecretFiles(given, settings);
  if (problems.length > 0) throw new ConfigError(problems);
  const texts = textsOf(settings, environment, isTerminal);
  const [core, own] = [z.object(CORE_SETTINGS).safeParse(texts), z.object(added.rows).safeParse(texts)];
  if (!core.success || !own.success) {
    const issues = [...(core.error?.issues ?? []), ...(own.error?.issues ?? [])];
    throw new ConfigError(describeProblems(settings, issues, environment));
  }
  const config = { ...core.data, ...own.data };
  const contradictions = added.contradictions?.(config) ?? [];
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  return config;
}

type Settings = ReturnType<typeof allSettings>;

/** Returns the text of each setting for the schema: trimmed, with defaults for blank ones. */
function textsOf(settings: Settings, environment: Environment, isTerminal: boolean): Environment {
  return Object.fromEntries(
    settings.map(({ key, name, whenUnset, secret }) => {
      const given = environment[name];
      if (given === undefined || given.trim() === '') return [key, whenUnset({ isTerminal })];
      // Secrets are never changed silently: surrounding white space is refused.
      return [key, secret ? given : given.trim()];
    }),
  );
}

function describeProblems(settings: Settings, issues: readonly z.core.$ZodIssue[], environment: Environment): string[] {
  return settings.flatMap((setting) => {
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
