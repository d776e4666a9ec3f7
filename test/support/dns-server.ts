import { createSocket, type RemoteInfo } from 'node:dgram';
import ipaddr from 'ipaddr.js';

const TYPE = { A: 1, CNAME: 5, AAAA: 28 } as const;
const IN_CLASS = 1;
const HEADER_BYTES = 12;
const RESPONSE_FLAGS = 0x81_80;

/** The answer to one query. Addresses of the other family are omitted. */
export interface DnsAnswer {
  readonly addresses?: readonly string[];
  /** The name is an alias of this one, which has the addresses. */
  readonly alias?: string;
  /** The response code: 2 SERVFAIL, 3 NXDOMAIN. */
  readonly code?: number;
  readonly delayMs?: number;
  /** If true, the server sends no answer. */
  readonly silent?: boolean;
}

/** Returns the answer to the n-th query (from 1) for a name and type. Undefined means NXDOMAIN. */
export type DnsScript = (name: string, queryNumber: number) => DnsAnswer | undefined;

/** A DNS server on loopback, over UDP. It answers as its script defines, with a TTL of 0. The caller closes it. */
export interface DnsServer extends AsyncDisposable {
  /** Server address in the form of resolver settings: `address:port`. */
  readonly address: string;
  /** Every query so far, in order: `A name` or `AAAA name`. */
  readonly queries: readonly string[];
}

export async function createDnsServer(script: DnsScript): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  const timers = new Set<NodeJS.Timeout>();

  socket.on('message', (query: Buffer, client: RemoteInfo) => {
    const { name, type, end } = readQuestion(query);
    const queried = `${type === TYPE.AAAA ? 'AAAA' : 'A'} ${name}`;
    queries.push(queried);
    const answer = script(name, queries.filter((earlier) => earlier === queried).length) ?? { code: 3 };
    if (answer.silent === true) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      socket.send(writeAnswer(query.subarray(0, end), type, answer), client.port, client.address);
    }, answer.delayMs ?? 0);
    timers.add(timer);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));

  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    [Symbol.asyncDispose]: async () => {
      for (const timer of timers) clearTimeout(timer);
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Writes an answer; `queried` is the query up to the end of its question. */
function writeAnswer(queried: Buffer, type: number, { addresses = [], alias, code = 0 }: DnsAnswer): Buffer {
  const question = queried.subarray(HEADER_BYTES);
  const owner = question.subarray(0, -4);
  const matching = addresses
    .map((address) => ipaddr.parse(address))
    .filter((address) => (address.kind() === 'ipv6') === (type === TYPE.AAAA));
  const aliasName = alias === undefined ? undefined : writeName(alias);
  const records = [
    ...(aliasName === undefined ? [] : [writeRecord(owner, TYPE.CNAME, aliasName)]),
    ...matching.map((address) => writeRecord(aliasName ?? owner, type, Buffer.from(address.toByteArray()))),
  ];
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(queried.readUInt16BE(0), 0);
  header.writeUInt16BE(RESPONSE_FLAGS + code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function writeRecord(owner: Buffer, type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(10); // type, class, a TTL of 0, length
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(IN_CLASS, 2);
  head.writeUInt16BE(content.length, 8);
  return Buffer.concat([owner, head, content]);
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
