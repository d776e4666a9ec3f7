import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { endianness } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FindPeer, openPeerQuery } from '../../../../src/core/egress/peers/peer-query.ts';
import { createTableReads, parsePeer } from '../../../../src/core/egress/peers/peer-check.ts';
import { socketsOf } from '../../../../src/core/egress/peers/socket-files.ts';

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

  it('finds the remote end', () => {
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

const query = await openPeerQuery(); // unavailable on some machines: a seccomp filter may forbid it
const WAYS: readonly [string, FindPeer][] = [
  ...(query === undefined ? [] : [['a question', async (socket) => query(socket)] as [string, FindPeer]]),
  ['the table', createTableReads()],
];

// Both kernel interfaces exist on Linux only.
describe.runIf(process.platform === 'linux')('the owner of a peer socket', () => {
  let server: Server;
  let client: Socket;
  let accepted: Socket;
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    client = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
    [[accepted]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  });
  afterEach(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });

  it.each(WAYS)('is found by %s, separately for each connection', async (_way, findPeer) => {
    const ours = socketsOf('self');

    const [peer, own] = await Promise.all([findPeer(accepted), findPeer(client)]);

    expect(peer?.uid).toBe(process.geteuid?.());
    expect(ours?.has(peer?.inode ?? '')).toBe(true);
    expect(ours?.has(own?.inode ?? '')).toBe(true);
    expect(peer?.inode).not.toBe(own?.inode);
  });

  it.each(WAYS)('is unknown to %s after the peer has disconnected', async (_way, findPeer) => {
    const { remoteAddress, remotePort, localAddress, localPort } = accepted;
    client.destroy();
    accepted.destroy();
    await once(accepted, 'close');

    const leaving = { remoteAddress, remotePort, localAddress, localPort, destroyed: true };
    expect(await findPeer(leaving)).toBeUndefined();
  });

  it('is unknown if the port belongs to a listening server, because the kernel returns the server', async () => {
    const { localAddress: remoteAddress, localPort: remotePort, localAddress } = accepted;

    expect(query?.({ remoteAddress, remotePort, localAddress, localPort: 1 })).toBeUndefined();
  });
});
