import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createReader } from '../../src/core/egress/gate/socks.ts';

const LOGIN = { username: 'user', password: 'pass:wörd' };

interface ProxyOptions {
  readonly requires?: 'login';
  /** Certificate for a proxy over TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Addresses to connect to, by name. */
  readonly names?: Readonly<Record<string, string>>;
  /** Sends this answer instead of connecting: an HTTP status, or a SOCKS5 reply. */
  readonly refusesWith?: number;
}

/** A proxy on loopback for HTTP CONNECT and SOCKS5 on one port. The caller closes it. */
export interface OutgoingProxy extends AsyncDisposable {
  readonly port: number;
  /** Returns the URL of the proxy, with user and password. */
  readonly url: (protocol: 'http' | 'https' | 'socks5') => string;
  /** Requested targets as `host:port`, in order, and the credentials that came with them. */
  readonly targets: readonly string[];
  readonly logins: readonly (string | undefined)[];
}

export async function createOutgoingProxy(options: ProxyOptions = {}): Promise<OutgoingProxy> {
  const [targets, logins]: [string[], (string | undefined)[]] = [[], []];
  const sockets = new Set<Socket>();
  const onSocket = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    serve(socket, options, { targets, logins }).catch(() => socket.destroy());
  };
  const server: Server =
    options.certificate === undefined
      ? createServer({ allowHalfOpen: true }, onSocket)
      : createTlsServer(options.certificate, onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  const login = `${LOGIN.username}:${encodeURIComponent(LOGIN.password)}`;
  return {
    port: address.port,
    url: (protocol) => `${protocol}://${login}@127.0.0.1:${address.port}`,
    targets,
    logins,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Seen {
  readonly targets: string[];
  readonly logins: (string | undefined)[];
}

async function serve(client: Socket, options: ProxyOptions, seen: Seen): Promise<void> {
  const reader = createReader(client, 16_384);
  const first = await reader.take(1);
  const isSocks = first[0] === 5;
  const { host, port, login } = isSocks ? await readSocks(client, reader, options) : await readHttp(first, reader);
  seen.logins.push(login);
  seen.targets.push(`${host}:${port}`);
  if (options.refusesWith !== undefined) {
    client.end(isSocks ? socksReply(options.refusesWith) : `HTTP/1.1 ${options.refusesWith} No\r\n\r\nnot you`);
    return;
  }
  if (!isSocks && options.requires === 'login' && login !== `${LOGIN.username}:${LOGIN.password}`) {
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    return;
  }
  reader.finish();
  const upstream = connect({ host: options.names?.[host] ?? host, port: Number(port), allowHalfOpen: true });
  upstream.on('error', () => client.destroy());
  await once(upstream, 'connect');
  client.write(isSocks ? socksReply(0) : 'HTTP/1.1 200 Connection established\r\nVia: a test\r\n\r\n');
  client.pipe(upstream);
  upstream.pipe(client);
  client.once('close', () => upstream.destroy());
}

type Reader = ReturnType<typeof createReader>;

async function readHttp(first: Buffer, reader: Reader) {
  let text = first.toString();
  while (!text.endsWith('\r\n\r\n')) text += (await reader.take(1)).toString();
  const [, host = '', port = ''] = /^CONNECT (\S+):(\d+) HTTP\/1\.1\r\n/.exec(text) ?? [];
  const [, basic] = /\r\nProxy-Authorization: Basic (\S+)/.exec(text) ?? [];
  return { host, port, login: basic === undefined ? undefined : Buffer.from(basic, 'base64').toString() };
}

async function readSocks(client: Socket, reader: Reader, { requires }: ProxyOptions) {
  const [methods = 0] = await reader.take(1);
  const offered = await reader.take(methods);
  let login: string | undefined;
  if (requires === 'login') {
    client.write(Buffer.from([5, offered.includes(2) ? 2 : 0xff]));
    await reader.take(1);
    const username = await take(reader);
    const password = await take(reader);
    login = `${username}:${password}`;
    client.write(Buffer.from([1, login === `${LOGIN.username}:${LOGIN.password}` ? 0 : 1]));
  } else client.write(Buffer.from([5, 0]));
  const [, , , type = 0] = await reader.take(4);
  const bytes = type === 3 ? undefined : await reader.take(type === 1 ? 4 : 16);
  const host = bytes === undefined ? await take(reader) : readAddress(bytes);
  return { host, port: `${(await reader.take(2)).readUInt16BE()}`, login };
}

async function take(reader: Reader): Promise<string> {
  const [length = 0] = await reader.take(1);
  return (await reader.take(length)).toString();
}

function readAddress(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  return (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}

function socksReply(code: number): Buffer {
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}
