import { type CommandSyntax, type Flag, HELP_FLAG } from './arguments.ts';
import { EXIT_CODES } from './exit.ts';
import type { FieldFlag } from './field-flags.ts';

const WIDTH = 100;
const INDENT = 6;

/** Text of `--help` of the program. */
export function describeProgram(commands: readonly CommandSyntax[]): string {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`);
  const exitCodes = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(10)}${meaning}`);
  return [
    'Turns web pages into pictures and documents.',
    '',
    'Usage: capture-service <command> [...]',
    '       capture-service --version',
    '',
    ...lines,
    '',
    'capture-service <command> --help shows the arguments of a command.',
    '',
    'Exit codes:',
    ...exitCodes,
    '',
  ].join('\n');
}

/**
 * Text of `--help` of a command.
 * @param scope `usual` leaves out the fields that few captures need
 */
export function describeCommand(
  { name, usage, summary, examples = [], flags, fields }: CommandSyntax,
  scope: 'usual' | 'all',
): string {
  const shown = fields.filter(({ isUsual }) => scope === 'all' || isUsual);
  const left = fields.length - shown.length;
  return [
    summary,
    '',
    ...usage.map((line, index) => `${index === 0 ? 'Usage:' : '      '} capture-service ${name} ${line}`),
    '',
    ...(examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  capture-service ${line}`), '']),
    'Flags:',
    ...[...flags, HELP_FLAG].flatMap(describeFlag),
    ...Object.entries(Object.groupBy(shown, ({ group }) => group)).flatMap(([group, ofGroup = []]) => [
      '',
      `${group}:`,
      ...ofGroup.flatMap(describeField),
    ]),
    ...(fields.length === 0 ? [] : ['', 'A text or JSON value can come from a file: --custom-css @style.css']),
    ...(left === 0 ? [] : [`"capture-service ${name} --help all" shows ${left} more flags.`]),
    '',
  ].join('\n');
}

function describeFlag({ name, short, placeholder, description }: Flag): string[] {
  const head = `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === undefined ? '' : ` ${placeholder}`}`;
  return entry(head, description);
}

function describeField({ name, kind, placeholder, description, defaultText }: FieldFlag): string[] {
  // Shows the switch that changes the default.
  const shown = kind === 'boolean' && defaultText === 'true' ? `--no-${name}` : `--${name}`;
  const turned = shown.startsWith('--no-') ? `On by default, off with this flag: ${description}` : description;
  const defaultNote = kind === 'boolean' || defaultText === undefined ? '' : `. Default: ${defaultText}`;
  const several = kind === 'list' || kind === 'record' ? '. Can be repeated' : '';
  return entry(`${shown} ${placeholder}`.trimEnd(), `${turned}${several}${defaultNote}`);
}

function entry(head: string, description: string): string[] {
  // A long list of choices goes on in the next line.
  const heads = wrap(head.replaceAll('|', '| ')).map((line) => line.replaceAll('| ', '|'));
  return [
    ...heads.map((line, index) => `  ${index === 0 ? '' : '  '}${line}`),
    ...wrap(description).map((line) => `${' '.repeat(INDENT)}${line}`),
  ];
}

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > WIDTH - INDENT) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}
