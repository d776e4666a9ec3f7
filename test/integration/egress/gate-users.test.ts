import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createFixtureSite } from '../../support/fixture-site.ts';
import { eventually } from '../../support/eventually.ts';
import { capture } from '../../support/http.ts';
import { startService } from '../../support/service.ts';
import { connectSocks, SOCKS } from '../../support/socks-client.ts';

const LISTENING = '0A';

// Any user of this machine could reach the hosts in EGRESS_ALLOW through the gate of another capture.
it.runIf(process.platform === 'linux')('gates accept connections from the browser process only', async () => {
  await using site = await createFixtureSite();
  await using service = await startService({ EGRESS_ALLOW: '127.0.0.0/8' });
  const client = new AbortController();
  const capturing = capture(service.url, { url: site.url('/never') }, { signal: client.signal });
  capturing.catch(() => undefined); // it is expected to fail
  await eventually(() => expect(site.requests.map(({ path }) => path)).toContain('/never'));
  const gates = portsOf(service.pid).filter((port) => !service.url.endsWith(`:${port}`));

  const answers: (number | undefined)[] = [];
  for (const gate of gates) {
    using socks = await connectSocks(gate);
    answers.push(await socks.requestHost('127.0.0.1', Number(new URL(site.origin).port)));
  }

  expect(gates.length).toBeGreaterThanOrEqual(2);
  expect(answers).not.toContain(SOCKS.granted);
  client.abort();
  const afterwards = await capture(service.url, { url: site.url('/plain') });
  expect([afterwards.status, afterwards.headers.get('x-target-status')]).toEqual([200, '200']);
});

/** Returns the TCP ports that a process listens on. */
function portsOf(pid: number): number[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((file) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${file}`)) ?? [];
    return inode === undefined ? [] : [inode];
  });
  const lines = readFileSync('/proc/net/tcp', 'latin1').trim().split('\n');
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const isOwn = state === LISTENING && inodes.includes(inode);
    return isOwn ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
}
