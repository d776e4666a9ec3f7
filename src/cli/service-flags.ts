import type { Arguments, Flag } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './exit.ts';

/** Flag for the token of a service. */
export const TOKEN_FLAG: Flag = {
  name: 'token',
  placeholder: 'TEXT',
  description:
    'Token of that service. The variable CAPTURE_TOKEN is safer: other users can see command lines',
};

/**
 * Returns the service that the command line or CAPTURE_SERVICE names. Undefined if there is none.
 * @throws UsageError if it is not an address
 */
export function readService(
  given: Arguments,
  { environment }: Pick<CommandContext, 'environment'>,
): { readonly address: string; readonly token: string | undefined } | undefined {
  const address = given.text('service') ?? (environment['CAPTURE_SERVICE'] || undefined);
  if (address === undefined) return undefined;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new UsageError(`${address} is not the address of a service, such as http://127.0.0.1:8080.`);
  }
  return { address, token: given.text('token') ?? (environment['CAPTURE_TOKEN'] || undefined) };
}
