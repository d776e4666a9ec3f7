import { allSettings } from '../../core/config/settings.ts';
import { PART_SETTINGS } from '../../part-settings.ts';
import { type CommandSyntax, type Flag, parseArguments } from './arguments.ts';
import type { Command } from './context.ts';
import { EXIT } from './exit.ts';

/** A flag for each setting, except secrets: other users can see command lines. */
const SETTING_FLAGS: readonly (Flag & { readonly setting: string })[] = allSettings(PART_SETTINGS)
  .filter(({ secret }) => !secret)
  .map(({ name, meaning, defaultText, form }) => ({
    name: name.toLowerCase().replaceAll('_', '-'),
    setting: name,
    placeholder: 'TEXT',
    description: `${meaning}. Default: ${defaultText}. Accepted: ${form}`,
  }));

export const SERVE_SYNTAX: CommandSyntax = {
  name: 'serve',
  usage: ['[...]'],
  summary: 'Starts the service. Settings are environment variables, lines of the file .env, or these flags.',
  flags: SETTING_FLAGS,
  fields: [],
  maxPositionals: 0,
};

/** Starts the service, which runs until a signal ends it. */
export const serveCommand: Command = async (args, { environment }) => {
  const given = parseArguments(SERVE_SYNTAX, args);
  const flags = SETTING_FLAGS.flatMap(({ name, setting }) => {
    const text = given.text(name);
    return text === undefined ? [] : [[setting, text] as const];
  });
  // Loaded only here: with the modules of the service, every command would start in 0.5 s instead of 0.3 s
  // (2026-11-25).
  const { serve } = await import('../../serve.ts');
  await serve({ ...environment, ...Object.fromEntries(flags) });
  return EXIT.ok;
};
