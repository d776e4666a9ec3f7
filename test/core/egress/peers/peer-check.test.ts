import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPeerCheck } from '../../../../src/core/egress/peers/peer-check.ts';
import { socketsOf } from '../../../../src/core/egress/peers/socket-files.ts';

const log = pino({ level: 'silent' });

// Only Linux lists the owners of connections.
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

  it('recognises a browser socket among concurrent connections', async () => {
    const isOurs = await createPeerCheck(isOfThisProcess, log);
    const [own, other] = [await fromHere(), await fromProcess()];

    expect(await Promise.all([isOurs(own), isOurs(other), isOurs(own)])).toEqual([true, false, true]);
  });

  it('checks the user if the sockets of a process cannot be listed', async () => {
    const isOurs = await createPeerCheck(() => undefined, log);

    expect(await isOurs(await fromProcess())).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)('refuses another user', async () => {
    const isOurs = await createPeerCheck(() => undefined, log);

    expect(await isOurs(await fromProcess(65_534))).toBe(false);
  });

  it('refuses a peer that has disconnected', async () => {
    const isOurs = await createPeerCheck(isOfThisProcess, log);
    const socket = await fromHere();
    socket.destroy();

    expect(await isOurs(socket)).toBe(false);
  });
});

function isOfThisProcess(inode: string): boolean | undefined {
  return socketsOf('self')?.has(inode);
}
