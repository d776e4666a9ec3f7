import { z } from 'zod';
import { isWarningCode, type WarningCode } from '../steps/common/step.ts';
import type { StoredCapture } from './capture-cache.ts';

const HEAD_LENGTH_BYTES = 4;

// RFC 9110 section 8.8.3, without bytes from 0x80 on.
const ENTITY_TAG = /^"[\x21\x23-\x7e]*"$/;

const headSchema = z.object({
  etag: z.string().regex(ENTITY_TAG), // the tag becomes a header, and other programs that write to this Redis must not break answers
  capturedAtMs: z.number(),
  ttlSeconds: z.number(),
  size: z.object({ width: z.number(), height: z.number() }).nullable(),
  targetStatus: z.number().nullable(),
  targetUrl: z.string().nullable(),
  blockedRequests: z.number(),
  filteredRequests: z.number(),
  warnings: z.array(z.custom<WarningCode>(isWarningCode)),
  timings: z.object({
    queue: z.number(),
    navigate: z.number(),
    ahead: z.number(),
    wait: z.number(),
    render: z.number(),
  }),
});

/** Encodes a capture as the length of the head (four bytes), the head as JSON, and the unchanged body. */
export function encodeCapture({ result, ...caching }: StoredCapture): Buffer {
  const { body, size, targetStatus, targetUrl, blockedRequests, filteredRequests, warnings, timings } =
    result;
  const head: z.input<typeof headSchema> = {
    ...caching,
    size: size ?? null,
    targetStatus: targetStatus ?? null,
    targetUrl: targetUrl ?? null,
    blockedRequests,
    filteredRequests,
    warnings: [...warnings],
    timings,
  };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(HEAD_LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, body]);
}

/** Decodes a capture. Undefined for other data, or another version. */
export function decodeCapture(bytes: Buffer): StoredCapture | undefined {
  if (bytes.length < HEAD_LENGTH_BYTES) return undefined;
  const bodyAt = HEAD_LENGTH_BYTES + bytes.readUInt32BE(0);
  const parsed = headSchema.safeParse(parseJson(bytes.toString('utf8', HEAD_LENGTH_BYTES, bodyAt)));
  if (!parsed.success) return undefined;
  const { etag, capturedAtMs, ttlSeconds, ...result } = parsed.data;
  return {
    etag,
    capturedAtMs,
    ttlSeconds,
    result: {
      ...result,
      body: bytes.subarray(bodyAt),
      size: result.size ?? undefined,
      targetStatus: result.targetStatus ?? undefined,
      targetUrl: result.targetUrl ?? undefined,
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema refuses undefined as well
  }
}
