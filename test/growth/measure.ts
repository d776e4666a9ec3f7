import { readdirSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { readStat } from '../../src/core/processes/process-stat.ts';
import type { GrowingRequest, GrowthCase } from './growth-case.ts';

/** Pauses between two requests of the probe and of the neighbour. */
const [PROBE_MS, NEIGHBOUR_MS] = [50, 100];
const ANSWER_LIMIT_MS = 120_000;
/** Addresses of three clients of one service. */
const [CLIENT, PROBE, NEIGHBOUR] = ['127.0.0.2', '127.0.0.8', '127.0.0.9'];

/** The service that is measured. */
export interface Measured {
  readonly url: string;
  readonly pid: number;
}

/** What one request of a case did to the service and to others. */
export interface Row {
  readonly size: number;
  readonly status: number;
  readonly ms: number;
  /** Processor time of the service, its browser and its other processes. */
  readonly cpuMs: number;
  /** By how much their memory was higher than before. */
  readonly riseMb: number;
  /** Longest wait for `/health/live`. */
  readonly liveMs: number;
  /** Longest capture of another client. */
  readonly neighbourMs: number;
  /** Captures of another client that were not answered with 200. */
  readonly refused: number;
  /** True if the service still runs. */
  readonly isAlive: boolean;
  /** The beginning of an answer that is not 200. */
  readonly text: string;
}

/**
 * Sends the requests of a case, one after the other.
 * @param isWatched whether another client makes captures meanwhile, and the service is probed
 */
export async function measure(
  each: GrowthCase,
  service: Measured,
  sizes: readonly number[],
  isWatched = true,
): Promise<readonly Row[]> {
  let size = 0;
  const site = http.createServer((request, response) => answer(each, { size, request, response }));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const port = portOf(site);
  const rows: Row[] = [];
  try {
    for (size of sizes) {
      const row = await measureOne(each.request(size, `http://127.0.0.1:${port}`), service, { size, isWatched });
      rows.push(row);
      if (!row.isAlive || row.ms > ANSWER_LIMIT_MS / 2) break;
    }
    return rows;
  } finally {
    site.close();
    site.closeAllConnections();
  }
}

function portOf(server: http.Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address.port;
}

interface Exchange {
  readonly size: number;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
}

function answer({ site }: GrowthCase, { size, request, response }: Exchange): void {
  if (site === undefined) response.setHeader('content-type', 'text/html').end('<p>x');
  else site(size, request, response);
}

async function measureOne(
  request: GrowingRequest,
  service: Measured,
  { size, isWatched }: { readonly size: number; readonly isWatched: boolean },
): Promise<Row> {
  const use = createUse(service.pid);
  const before = use();
  const measuring = { isOn: true };
  let [liveMs, peakMb] = [0, before.mb];
  const neighbours: Answer[] = [];
  const probing = (async () => {
    while (measuring.isOn) {
      if (isWatched) {
        const { ms } = await send(service, { path: '/health/live', method: 'GET' }, PROBE);
        liveMs = Math.max(liveMs, ms);
      }
      peakMb = Math.max(peakMb, use().mb); // often: a process that ends between two readings is not counted
      await delay(PROBE_MS);
    }
  })();
  const living = (async () => {
    if (!isWatched) return;
    while (measuring.isOn) {
      neighbours.push(await send(service, plainRequest(), NEIGHBOUR));
      await delay(NEIGHBOUR_MS);
    }
  })();
  const { status, ms, text } = await send(service, request, CLIENT);
  peakMb = Math.max(peakMb, use().mb);
  measuring.isOn = false;
  await Promise.all([probing, living]);
  const after = use();
  return {
    size,
    status,
    ms,
    cpuMs: after.cpuMs - before.cpuMs,
    riseMb: peakMb - before.mb,
    liveMs,
    neighbourMs: Math.max(0, ...neighbours.map((each) => each.ms)),
    refused: neighbours.filter((each) => each.status !== 200).length,
    isAlive: after.isAlive,
    text: status === 200 ? '' : text,
  };
}

/** A capture of the other client, which no cache answers. */
export function plainRequest(): GrowingRequest {
  return { body: { html_content: `<p>${Math.random()}`, window_width: 320, window_height: 200 } };
}

interface Use {
  readonly cpuMs: number;
  readonly mb: number;
  readonly isAlive: boolean;
}

/** Returns a function that reads what a process and its children use. Processes that have ended count, too. */
export function createUse(pid: number): () => Use {
  const cpuOf = new Map<string, number>();
  return () => {
    const stats = new Map(
      readdirSync('/proc').flatMap((name) => {
        const stat = /^\d+$/.test(name) ? readStat(name) : undefined;
        return stat?.isRunning === true ? [[name, stat] as const] : [];
      }),
    );
    const children = Map.groupBy(stats.keys(), (name) => `${stats.get(name)?.parent}`);
    let bytes = 0;
    for (const open = [`${pid}`]; open.length > 0;) {
      const name = open.pop() ?? '';
      const stat = stats.get(name);
      if (stat === undefined) continue;
      cpuOf.set(name, Math.max(stat.cpuMs, cpuOf.get(name) ?? 0));
      bytes += stat.residentBytes;
      open.push(...(children.get(name) ?? []));
    }
    const cpuMs = cpuOf.values().reduce((sum, ms) => sum + ms, 0);
    return { cpuMs, mb: bytes / 1_048_576, isAlive: stats.has(`${pid}`) };
  };
}

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

/** Sends a request from an address of this machine. Status 0: there was no answer. */
export function send(
  { url }: Pick<Measured, 'url'>,
  { path = '/capture', method = 'POST', headers = {}, body }: GrowingRequest,
  localAddress: string,
): Promise<Answer> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const settle = (status: number, text: string): void => resolve({ status, ms: performance.now() - startedAt, text });
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const request = http.request(
      url + path,
      {
        method,
        localAddress,
        timeout: ANSWER_LIMIT_MS,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        const { statusCode = 0 } = response;
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => settle(statusCode, Buffer.concat(chunks).subarray(0, 200).toString('latin1')));
        response.on('error', ({ message }) => settle(statusCode, message));
      },
    );
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', ({ message }) => settle(0, message));
    request.end(body === undefined || isRaw ? body : JSON.stringify(body));
  });
}
