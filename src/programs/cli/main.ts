#!/usr/bin/env node
import '../../core/config/require-node.ts';
import { readEnvironment } from '../../core/config/environment.ts';
import { ConfigError } from '../../core/config/load.ts';
import { nearestName } from '../../core/ground/nearest.ts';
import { packageVersion } from '../../core/service/package-version.ts';
import { CAPTURE_SYNTAX, captureCommand } from './capture/capture-command.ts';
import { COMPARE_SYNTAX, compareCommand } from './compare-command.ts';
import type { CommandSyntax } from './arguments.ts';
import type { Command } from './context.ts';
import { EXIT, OutputError, UsageError } from './exit.ts';
import { HEALTH_SYNTAX, healthCommand } from './health-command.ts';
import { describeCommand, describeProgram } from './help.ts';
import { JOBS_SYNTAX, jobsCommand } from './jobs-command.ts';
import { KEYS_SYNTAX, keysCommand } from './keys-command.ts';
import { writeTo } from './output.ts';
import { REHEARSE_SYNTAX, rehearseCommand } from './rehearse/rehearse-command.ts';
import { SERVE_SYNTAX, serveCommand } from './serve-command.ts';
import { SIGN_SYNTAX, signCommand } from './sign-command.ts';
import { USAGE_SYNTAX, usageCommand } from './usage-command.ts';
import { WATCH_SYNTAX, watchCommand } from './watch/watch-command.ts';

const LEFTOVER_MS = 500;
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

const COMMANDS: readonly { readonly syntax: CommandSyntax; readonly run: Command }[] = [
  { syntax: CAPTURE_SYNTAX, run: captureCommand },
  { syntax: COMPARE_SYNTAX, run: compareCommand },
  { syntax: REHEARSE_SYNTAX, run: rehearseCommand },
  { syntax: SIGN_SYNTAX, run: signCommand },
  { syntax: JOBS_SYNTAX, run: jobsCommand },
  { syntax: WATCH_SYNTAX, run: watchCommand },
  { syntax: KEYS_SYNTAX, run: keysCommand },
  { syntax: USAGE_SYNTAX, run: usageCommand },
  { syntax: HEALTH_SYNTAX, run: healthCommand },
  { syntax: SERVE_SYNTAX, run: serveCommand },
];

/** Runs the command of the first word. Returns the exit code. */
async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') return print(`${packageVersion()}\n`);
  const command = COMMANDS.find(({ syntax }) => syntax.name === name);
  if (command === undefined) {
    const names = COMMANDS.map(({ syntax }) => syntax.name);
    if (name === '--help' || name === '-h' || name === 'help') {
      return print(describeProgram(COMMANDS.map(({ syntax }) => syntax)));
    }
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw new UsageError(`Unknown command ${name}.${hint} capture-service --help lists the commands.`);
  }
  if (args.includes('--help') || args.includes('-h')) {
    return print(describeCommand(command.syntax, args.includes('all') ? 'all' : 'usual'));
  }
  return await run(command.run, args);
}

/** The first signal cancels the command, the second ends the process. `serve` handles signals itself. */
async function run(command: Command, args: readonly string[]): Promise<number> {
  const ending = new AbortController();
  // The files of a list are its purpose, so its captures go on.
  if (command !== captureCommand) process.stdout.once('error', () => ending.abort(outputProblem));
  const onSignal = (signal: keyof typeof SIGNAL_EXIT): void => {
    if (ending.signal.aborted) process.exit(SIGNAL_EXIT[signal]);
    ending.abort(new Interruption(signal));
  };
  if (command !== serveCommand) process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return await command(args, {
    environment: readEnvironment(),
    stdin: process.stdin,
    stdout: process.stdout,
    report: (line) => void process.stderr.write(`${line}\n`),
    signal: ending.signal,
  });
}

class Interruption extends Error {
  readonly exitCode: number;

  constructor(signal: keyof typeof SIGNAL_EXIT) {
    super(`ended by ${signal}`);
    this.exitCode = SIGNAL_EXIT[signal];
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT.ok;
}

/** The first failed write to standard output. */
let outputProblem: OutputError | undefined;

/**
 * Waits for standard output. Returns the exit code of the command.
 * @throws OutputError if the command succeeded, but its output was not written
 */
async function afterOutput(exitCode: number): Promise<number> {
  if (exitCode !== EXIT.ok) return exitCode;
  await writeTo(process.stdout, '');
  if (outputProblem !== undefined) throw outputProblem;
  return exitCode;
}

function exitCodeFor(error: unknown): number {
  if (error instanceof OutputError && error.lacksReader) return EXIT.noReader;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`capture-service: ${message}\n`);
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof OutputError) return EXIT.failed;
  return error instanceof UsageError || error instanceof ConfigError ? EXIT.usage : EXIT.unavailable;
}

// Node reports a failed write by an event, without which it would end the process.
process.stdout.on('error', (error) => {
  outputProblem ??= new OutputError('standard output', error);
});
process.stderr.on('error', () => undefined); // there is no other place for messages
const [, , ...words] = process.argv;
process.exitCode = await main(words).then(afterOutput).catch(exitCodeFor);
// Exits even if a handle keeps the event loop alive, except for `serve`.
if (words[0] !== 'serve' || process.exitCode !== EXIT.ok) setTimeout(() => process.exit(), LEFTOVER_MS).unref();
