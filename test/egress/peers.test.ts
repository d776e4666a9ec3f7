import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { endianness } from 'node:os';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPeerCheck, parsePeer } from '../../src/egress/peers.ts';
import { hasSocket } from '../../src/egress/socket-files.ts';

const log = pino({ level: 'silent' });

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 22 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:C000 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 65534        0 33 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:C002 0100007F:1F90 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0000000000000000
`;

describe.runIf(endianness() === 'LE')('parsePeer', () => {
  const socket = {
    remoteAddress: '127.0.0.1',
    remotePort: 0xc000,
    localAddress: '127.0.0.1',
    localPort: 0x1f90,
  };

  it('finds the end that is not ours', () => {
    expect(parsePeer(TABLE, socket)).toEqual({ uid: 65_534, inode: '33' });
  });

  it.each([
    { remotePort: 0xc001 },
    { remoteAddress: '127.0.0.2' },
    { remoteAddress: '::ffff:127.0.0.1' },
    { remoteAddress: undefined },
    { localPort: 80 },
    { remotePort: 0xc002 },
  ])('finds nothing for %j', (other) => {
    expect(parsePeer(TABLE, { ...socket, ...other })).toBeUndefined();
  });
});

// What the kernel shows of connections is of Linux.
describe.runIf(process.platform === 'linux')('createPeerCheck', () => {
  let server: Server;
  let port: number;
  const opened: { destroy: () => unknown }[] = [];
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.destroy();
    server.close();
  });

  const accepted = async (connecting: () => void): Promise<Socket> => {
    const arrival = once(server, 'connection');
    connecting();
    const [socket] = await arrival;
    opened.push(socket);
    return socket;
  };
  const fromHere = () => accepted(() => opened.push(connect(port, '127.0.0.1')));
  const fromProcess = (uid?: number) =>
    accepted(() => {
      const script = `require('node:net').connect(${port}, '127.0.0.1').on('error', () => {})`;
      const child = spawn(process.execPath, ['-e', script], { ...(uid !== undefined && { uid }), cwd: '/' });
      opened.push({ destroy: () => child.kill('SIGKILL') });
    });

  it('knows a socket of ours among those that connect at the same time', async () => {
    const isOurs = await createPeerCheck(isOfThisProcess, log);
    const [own, other] = [await fromHere(), await fromProcess()];

    expect(await Promise.all([isOurs(own, 'now'), isOurs(other, 'soon'), isOurs(own, 'soon')])).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('goes by the user where the sockets of a process can not be seen', async () => {
    const isOurs = await createPeerCheck(() => undefined, log);

    expect(await isOurs(await fromProcess(), 'now')).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)('refuses another user', async () => {
    const isOurs = await createPeerCheck(() => undefined, log);

    expect(await isOurs(await fromProcess(65_534), 'soon')).toBe(false);
  });

  it('refuses one that has gone', async () => {
    const isOurs = await createPeerCheck(isOfThisProcess, log);
    const socket = await fromHere();
    socket.destroy();

    expect(await isOurs(socket, 'now')).toBe(false);
  });
});

function isOfThisProcess(inode: string): boolean | undefined {
  return hasSocket('self', inode);
}
