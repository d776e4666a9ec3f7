/** The proxy refused to connect. The message contains neither its address nor the password. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
}
