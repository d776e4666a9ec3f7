/** Why a proxy did not connect. The message names neither its address nor the password. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
}
