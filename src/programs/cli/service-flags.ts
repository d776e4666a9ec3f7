import { type CaptureClient, createCaptureClient } from '../client/client.ts';
import type { Arguments, Flag } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './exit.ts';

const RETRIES = 5;
const TIMEOUT_MS = 3_600_000; // the service limits its captures itself

/** Names of this machine. */
const OWN_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);
/** Values of HOST that mean all addresses of this machine. */
const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const DEFAULT_PORT = '8080';

/** Flags that name a service. */
export const SERVICE_FLAG: Flag = {
  name: 'service',
  placeholder: 'URL',
  description: 'URL of the service. Default: CAPTURE_SERVICE',
};
export const TOKEN_FLAG: Flag = {
  name: 'token',
  placeholder: 'TEXT',
  description: 'Token of that service. The variable CAPTURE_TOKEN is safer: other users can see command lines',
};

/** Address and token of a service. */
export interface ServiceAccess {
  /** Without `/capture` and slashes at its end. */
  readonly address: string;
  readonly token: string | undefined;
}

/**
 * Returns the service that the command line or CAPTURE_SERVICE names. Undefined if there is none.
 * @throws UsageError if it is not an address, or there is a token for no service
 */
export function readService(
  given: Arguments,
  { environment }: Pick<CommandContext, 'environment'>,
): ServiceAccess | undefined {
  const address = given.text('service') ?? (environment['CAPTURE_SERVICE'] || undefined);
  if (address === undefined) {
    if (given.text('token') === undefined) return undefined;
    throw new UsageError('--token needs a service: set its URL with --service or CAPTURE_SERVICE.');
  }
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new UsageError(`${address} is not the address of a service, such as http://127.0.0.1:8080.`);
  }
  return {
    address: address.replace(/\/+$/, '').replace(/\/capture$/, ''),
    token: given.text('token') ?? (environment['CAPTURE_TOKEN'] || tokenOfOwn(address, environment)),
  };
}

/** Returns the token of the service that starts in this folder, with the same `.env`, if the address is its own. */
function tokenOfOwn(address: string, environment: CommandContext['environment']): string | undefined {
  const { hostname, port } = new URL(address);
  const host = environment['HOST'] || 'localhost';
  const isHost = hostname === host || (OWN_HOSTS.has(hostname) && (OWN_HOSTS.has(host) || ANY_HOST.has(host)));
  const isOwn = isHost && (port || '80') === (environment['PORT'] || DEFAULT_PORT);
  return isOwn ? environment['AUTH_TOKEN'] || undefined : undefined;
}

/**
 * Returns the service for a command that cannot run without one.
 * @throws UsageError if there is none
 */
export function requireService(given: Arguments, context: Pick<CommandContext, 'environment'>): ServiceAccess {
  const service = readService(given, context);
  if (service !== undefined) return service;
  throw new UsageError('The service is missing: set its URL with --service or CAPTURE_SERVICE.');
}

/** Returns a client whose time limits leave room for long captures. */
export function createCommandClient({ address, token }: ServiceAccess, timeoutMs = TIMEOUT_MS): CaptureClient {
  return createCaptureClient({ service: address, token, retries: RETRIES, timeoutMs });
}
