import { createHash } from 'node:crypto';
import type { CDPSession } from 'puppeteer';
import type { Page } from '../../core/browser/page/page.ts';
import { LIMIT_MS } from '../../core/ground/time-limits.ts';
import { withTimeout } from '../../core/ground/timeouts.ts';

/**
 * Bodies that the browser keeps until they are read. A larger one counts by its address, its length and the version
 * that its server names: its message would hold up those of all other pages, and would be cut.
 */
const MOST_BYTES = { body: 1_900_000, all: 100_000_000 };
const MOST_RESPONSES = 20_000;
const BUFFERS = { maxTotalBufferSize: MOST_BYTES.all, maxResourceBufferSize: MOST_BYTES.body, maxPostDataSize: 1 };

/** What a page has loaded. */
export interface LoadedBytes {
  /** Starts listening on the blank page. */
  readonly listen: () => Promise<void>;
  /** Returns the SHA-256 of all answers, whatever their order: of addresses, statuses and bytes. */
  readonly digest: () => Promise<string>;
}

interface Loading {
  readonly url: string;
  readonly status: number;
  /** What the server says of the version of the body. */
  readonly version: string;
  bytes: number;
}

export function createLoadedBytes(page: Page): LoadedBytes {
  const lines = new Set<string>();
  const reading = new Set<Promise<void>>();
  let readBytes = 0;
  let count = 0;

  const read = async (
    session: CDPSession,
    requestId: string,
    { url, status, version, bytes }: Loading,
  ): Promise<void> => {
    let content = `${bytes} ${version}`;
    if (bytes <= MOST_BYTES.body && readBytes + bytes <= MOST_BYTES.all) {
      readBytes += bytes;
      // A body that the browser has dropped counts by its length.
      const answer = await session.send('Network.getResponseBody', { requestId }).catch(() => undefined);
      if (answer !== undefined) content = sha256(answer.body);
    }
    lines.add(JSON.stringify([url, status, content]));
  };

  const follow = (session: CDPSession): void => {
    const open = new Map<string, Loading>();
    session.on('Network.responseReceived', ({ requestId, response: { url, status, headers } }) => {
      if (url.startsWith('data:') || url.startsWith('blob:') || count >= MOST_RESPONSES) return;
      count++;
      open.set(requestId, { url, status, version: versionOf(headers), bytes: 0 });
    });
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const loading = open.get(requestId);
      if (loading !== undefined) loading.bytes += dataLength;
    });
    session.on('Network.loadingFinished', ({ requestId }) => {
      const loading = open.get(requestId);
      if (loading === undefined) return;
      open.delete(requestId);
      const mine = read(session, requestId, loading).finally(() => reading.delete(mine));
      reading.add(mine);
    });
  };

  return {
    listen: async () => {
      page.followSessions(follow);
      await Promise.all([page.onSession(keepBodies), page.onWorker(keepBodies)]);
    },
    digest: async () => {
      const all = Promise.all(reading).then(() => undefined);
      await withTimeout(all, LIMIT_MS.render, () => new Error('the browser does not return what it has loaded'));
      return sha256([...lines].toSorted().join('\n'));
    },
  };
}

function keepBodies(session: CDPSession): Promise<void> {
  return session.send('Network.enable', BUFFERS);
}

function versionOf(headers: Readonly<Record<string, string>>): string {
  const named = Object.entries(headers).filter(([name]) => /^(?:etag|last-modified)$/i.test(name));
  return named.map(([, value]) => value).join(' ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
