import { type CommandSyntax, parseArguments } from './arguments.ts';
import type { Command } from './context.ts';
import { EXIT, UsageError } from './exit.ts';

const LIMIT_MS = 5_000;

export const HEALTH_SYNTAX: CommandSyntax = {
  name: 'health',
  usage: ['[ADDRESS]'],
  summary: 'Exits with 0 if a service is ready to capture, otherwise with 1.',
  flags: [],
  fields: [],
  maxPositionals: 1,
};

/**
 * Requests /health/ready of a service, or the path in the given address. The image has the same command without Node:
 * `deploy/capture-service.sh`.
 */
export const healthCommand: Command = async (args, { environment, report, signal }) => {
  const { positionals } = parseArguments(HEALTH_SYNTAX, args);
  const given = positionals[0] ?? `http://127.0.0.1:${environment['PORT'] || '8080'}`;
  const address = URL.parse(given);
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new UsageError(`${given} is not the address of a service, such as http://127.0.0.1:8080.`);
  }
  if (address.pathname === '/') address.pathname = '/health/ready';
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const { status } = await fetch(address, { signal: within, redirect: 'manual' });
    if (status === 200) return EXIT.ok;
    report(`${address.href} answers ${status}`);
  } catch {
    signal.throwIfAborted();
    report(`${address.href} does not answer`);
  }
  return EXIT.failed;
};
