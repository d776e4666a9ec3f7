import type { CDPSession, Protocol } from 'puppeteer';
import { z } from 'zod';
import { type Part, PART_LIMITS } from './answer-part.ts';
import type { Mask } from './secrets.ts';

const MAX_ENTRIES = 1_000;

interface Entry {
  readonly method: string;
  readonly url: string;
  status: number | null;
  type: string;
  bytes: number | null;
  milliseconds: number | null;
  error?: string;
}

/** Network requests of the page, with each redirect, from events that the browser sends anyway. */
export const network: Part = {
  description: `Network requests of the page, oldest first, with each redirect: at most ${MAX_ENTRIES}. Secrets in addresses are \`***\`. \`bytes\` counts transferred bytes. \`null\`: not known at that time`,
  schema: z.object({
    entries: z.array(
      z.object({
        method: z.string(),
        url: z.string(),
        status: z.int().nullable(),
        type: z.string(),
        bytes: z.int().nullable(),
        milliseconds: z.number().nullable(),
        error: z.string().optional(),
      }),
    ),
    truncated: z.literal(true).optional(),
  }),
  listen: async (page, mask) => {
    const log = createLog(mask);
    page.followSessions(log.follow);
    return log.result;
  },
};

interface RequestLog {
  readonly follow: (session: CDPSession) => void;
  readonly result: () => object;
}

function createLog(mask: Mask): RequestLog {
  const entries: Entry[] = [];
  const open = new Map<string, { readonly entry: Entry; readonly startedAt: number }>();
  let isTruncated = false;

  const add = (id: string, entry: Omit<Entry, 'status' | 'bytes' | 'milliseconds'>, startedAt: number): void => {
    if (entries.length >= MAX_ENTRIES) {
      isTruncated = true;
      open.delete(id);
      return;
    }
    const url = mask.start(entry.url, PART_LIMITS.address);
    if (url.isCut) isTruncated = true;
    const known: Entry = {
      ...entry,
      url: url.text,
      status: null,
      bytes: null,
      milliseconds: null,
    };
    entries.push(known);
    open.set(id, { entry: known, startedAt });
  };
  const end = (id: string, facts: Partial<Entry>, endedAt: number): void => {
    const request = open.get(id);
    if (request === undefined) return;
    open.delete(id);
    // Seconds of the browser's monotonic clock.
    const milliseconds = Math.max(0, Math.round((endedAt - request.startedAt) * 10_000) / 10);
    Object.assign(request.entry, facts, { milliseconds });
  };
  const begin = ({
    requestId,
    request,
    type = 'Other',
    timestamp,
    redirectResponse,
  }: Protocol.Network.RequestWillBeSentEvent): void => {
    if (redirectResponse !== undefined) {
      const { status, encodedDataLength: bytes } = redirectResponse;
      end(requestId, { status, bytes }, timestamp);
    }
    // The script of a worker is reported in two sessions.
    if (request.url.startsWith('data:') || open.has(requestId)) return;
    add(requestId, { method: request.method, url: request.url, type: type.toLowerCase() }, timestamp);
  };

  return {
    follow: (session) => {
      session.on('Network.requestWillBeSent', begin);
      session.on('Network.responseReceived', ({ requestId, response, type }) => {
        const entry = open.get(requestId)?.entry;
        if (entry === undefined) return;
        entry.status = response.status;
        entry.type = type.toLowerCase();
      });
      session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
        end(requestId, { bytes: Math.max(0, Math.round(encodedDataLength)) }, timestamp);
      });
      session.on('Network.loadingFailed', ({ requestId, timestamp, errorText, blockedReason }) => {
        end(requestId, { error: blockedReason ?? errorText }, timestamp);
      });
      session.on('Network.webSocketCreated', ({ requestId, url }) => {
        add(requestId, { method: 'GET', url, type: 'websocket' }, 0);
      });
    },
    result: () => ({ entries, ...(isTruncated && { truncated: true }) }),
  };
}
