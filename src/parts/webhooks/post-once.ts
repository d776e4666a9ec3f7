import { type IncomingMessage, request as startRequest } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Login } from '../../core/egress/url-login.ts';
import { raceAbort } from '../../core/ground/timeouts.ts';

/** Maximum bytes of an answer to read, so that the receiver can send it without an error. */
const MAX_ANSWER_BYTES = 65_536;
/** Time limit for reading these bytes. */
const READ_LIMIT_MS = 1_000;

export interface Post {
  /** An http or https URL. */
  readonly url: URL;
  /** The login from the URL. */
  readonly login: Login | undefined;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Connected to the host of the URL, or to a proxy. Destroyed when the request has ended. */
  readonly socket: Socket;
  /** Additional trusted certificates. */
  readonly ca?: readonly string[];
}

interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Sends one request over an open connection, whose destination the caller has chosen. Does not follow redirects.
 * @throws the signal's reason; Error of the system if the connection or TLS fails
 */
export async function postOnce(post: Post, signal: AbortSignal): Promise<PostAnswer> {
  const { url, login, method, headers, body, socket } = post;
  try {
    const connection = url.protocol === 'https:' ? await raceAbort(secured(post), signal) : socket;
    const request = startRequest({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        Host: url.host,
        Connection: 'close',
        'Content-Length': Buffer.byteLength(body),
        ...basicAuth(login),
        ...headers,
      },
      createConnection: () => connection,
    });
    // The socket may be paused. It is resumed when there is a listener.
    request.once('socket', () => connection.resume());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject);
    });
    request.end(body);
    const answer = await raceAbort(answered, signal);
    await readStart(answer, AbortSignal.any([signal, AbortSignal.timeout(READ_LIMIT_MS)]));
    return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] };
  } finally {
    socket.destroy();
  }
}

async function secured({ url, socket, ca }: Post): Promise<Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = connectTls({
    socket,
    host, // the name in the certificate
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca: [...ca] }),
    ALPNProtocols: ['http/1.1'],
  });
  return await new Promise((resolve, reject) => {
    secure
      .once('secureConnect', () => resolve(secure))
      .on('error', reject)
      .once('close', () => reject(new Error('the connection was closed')));
  });
}

/** Reads the start of the body. Ignores read errors, because only the status counts. */
async function readStart(answer: IncomingMessage, signal: AbortSignal): Promise<void> {
  const read = async (): Promise<void> => {
    let bytes = 0;
    for await (const chunk of answer) {
      bytes += Buffer.from(chunk).length;
      if (bytes > MAX_ANSWER_BYTES) return;
    }
  };
  await raceAbort(read(), signal).catch(() => undefined); // the rest of the answer is not needed
}

function basicAuth(login: Login | undefined): Readonly<Record<string, string>> {
  if (login === undefined) return {};
  const text = `${login.username}:${login.password}`;
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}
