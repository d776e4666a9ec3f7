import { z } from 'zod';
import { PHASES } from '../../core/steps/common/stopwatch.ts';
import { parseJson } from '../../core/ground/parse-json.ts';
import { isWarningCode, type WarningCode } from '../../core/steps/common/step.ts';
import type { StoredCapture } from './capture-cache.ts';

const HEAD_LENGTH_BYTES = 4;

// RFC 9110 section 8.8.3, without bytes from 0x80 on.
const ENTITY_TAG = /^"[\x21\x23-\x7e]*"$/;

const headSchema = z.object({
  // the tag becomes a header, and other programs that write to this Redis must not break answers
  etag: z.string().regex(ENTITY_TAG),
  capturedAtMs: z.number(),
  ttlSeconds: z.number(),
  facts: z.object({
    size: z.object({ width: z.number(), height: z.number() }).optional(),
    scale: z.number().optional(),
    place: z.object({ x: z.number(), y: z.number(), zoom: z.number() }).optional(),
    elements: z
      .array(
        z.object({
          x: z.number(),
          y: z.number(),
          width: z.number(),
          height: z.number(),
          content_type: z.string(),
          bytes: z.int().min(0),
        }),
      )
      .optional(),
    targetStatus: z.number().optional(),
    targetUrl: z.string().optional(),
    blockedRequests: z.number(),
    filteredRequests: z.number(),
    warnings: z.array(z.custom<WarningCode>(isWarningCode)),
    timings: z.record(z.enum(PHASES), z.number()),
    requestId: z.string().optional(),
    sha256: z.string().optional(),
    digest: z.string().optional(),
  }),
  /** Size of each part. The parts follow the head, and the file is the rest. */
  partBytes: z.array(z.tuple([z.string(), z.int().min(0)])),
});

/** Encodes a capture as the length of the head (four bytes), the head as JSON, and the unchanged parts and file. */
export function encodeCapture({ captured: { file, parts, facts }, ...times }: StoredCapture): Buffer {
  const head: z.input<typeof headSchema> = {
    ...times,
    facts: { ...facts, warnings: [...facts.warnings], elements: facts.elements && [...facts.elements] },
    partBytes: [...parts].map(([name, text]) => [name, text.length]),
  };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(HEAD_LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...parts.values(), file]);
}

/** Decodes a capture. Undefined for other data, or another version. */
export function decodeCapture(bytes: Buffer): StoredCapture | undefined {
  if (bytes.length < HEAD_LENGTH_BYTES) return undefined;
  let at = HEAD_LENGTH_BYTES + bytes.readUInt32BE(0);
  const parsed = headSchema.safeParse(parseJson(bytes.toString('utf8', HEAD_LENGTH_BYTES, at)));
  if (!parsed.success) return undefined;
  const { facts, partBytes, ...times } = parsed.data;
  const parts = partBytes.map(([name, length]): [string, Buffer] => [name, bytes.subarray(at, (at += length))]);
  if (at > bytes.length) return undefined; // a part would be cut, and its JSON would break the answer
  return { ...times, captured: { file: bytes.subarray(at), parts: new Map(parts), facts } };
}
