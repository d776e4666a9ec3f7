import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createOwnSite, ownSiteOf } from '../../../../src/core/egress/gate/own-site.ts';

describe('createOwnSite', () => {
  it('counts each answer: its file, and the time that any answer takes; and each missing file', async () => {
    const counted: number[] = [];
    let missing = 0;
    const { files } = ownSiteOf(new Map([['a.bin', Buffer.alloc(50_000)]]));
    const serve = createOwnSite(
      { html: '<p>', files },
      (bytes) => void counted.push(bytes),
      () => missing++,
    );
    await using server = createServer(serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;

    for (const path of ['a.bin', 'a.bin?2', 'missing', 'favicon.ico']) {
      await (await fetch(`http://127.0.0.1:${port}/${path}`, { headers: { connection: 'close' } })).arrayBuffer();
    }

    expect(counted).toEqual([54_096, 54_096, 4_096, 4_096]);
    expect(missing).toBe(1);
  });
});
