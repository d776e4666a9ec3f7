import { createHash, randomBytes } from 'node:crypto';

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const MOST_OF_A_MS = 0xfff;

let latestMs = 0;
let ofThatMs = 0;

/**
 * Returns a UUID of version 7 (RFC 9562): Unix milliseconds, a counter of this process, then random bits. Ids of one
 * process sort by creation.
 */
export function createJobId(nowMs: number): string {
  ofThatMs = nowMs === latestMs ? Math.min(ofThatMs + 1, MOST_OF_A_MS) : 0;
  latestMs = nowMs;
  return toId(randomBytes(16), nowMs, ofThatMs);
}

/**
 * Returns the ids of a batch, which follow from the first one and have its time. So the first id and their number are
 * enough to find all of them.
 */
export function jobIdsOfBatch(first: string, count: number): readonly string[] {
  const counter = Number.parseInt(first.slice(15, 18), 16);
  const others = Array.from({ length: count - 1 }, (_, index) => {
    const bytes = createHash('sha256').update(`${first} ${index}`).digest().subarray(0, 16);
    return toId(bytes, timeOfJobId(first) ?? 0, Math.min(counter + index + 1, MOST_OF_A_MS));
  });
  return [first, ...others];
}

function toId(bytes: Buffer, timeMs: number, counter: number): string {
  bytes.writeUIntBE(timeMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the creation time of an id in Unix milliseconds. Undefined if it is no such id. */
export function timeOfJobId(id: string): number | undefined {
  if (!FORM.test(id)) return undefined;
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}
