import { z } from 'zod';
import { FORMAT_NAMES, type FormatName } from '../../../core/capture/formats/format-names.ts';
import { FORMATS } from '../../../core/capture/request/formats.ts';
import { createPdfReader } from '../../../features/pdf-reader/pdf-reader.ts';
import type { DocumentTools } from '../../../parts/rehearsal/compare-documents.ts';
import { compareResults } from '../../../parts/rehearsal/compare-results.ts';
import type { Finding } from '../../../parts/rehearsal/finding.ts';
import { createCalls } from '../../client/calls.ts';
import { CaptureError, UnexpectedAnswerError } from '../../client/capture-error.ts';
import { type CaptureRequest, encodeJson, isCaptureRequest } from '../../client/capture-request.ts';
import type { CaptureResult } from '../../client/capture-result.ts';
import { readJson } from '../../client/json.ts';
import { describeFailure } from '../exit.ts';
import type { RehearsedBrowser } from './rehearsed-browser.ts';

/** `varies`: the page differs with the same browser, too. `failed`: neither browser could capture it. */
export type Outcome = 'same' | 'moved' | 'varies' | 'failed';

/** A capture of the list. */
export interface Rehearsed {
  readonly name: string;
  readonly fields: CaptureRequest;
}

/** What one browser has made of it. */
interface Made {
  readonly bytes?: number;
  /** Milliseconds of the capture. */
  readonly milliseconds?: number;
  readonly digest?: string;
  readonly warnings: readonly string[];
  readonly error?: string;
}

export interface Rehearsal {
  readonly name: string;
  readonly format: FormatName;
  readonly outcome: Outcome;
  readonly findings: readonly Finding[];
  readonly before: Made;
  readonly after: Made;
  /** The files, if they differ. */
  readonly files?: { readonly before: Uint8Array; readonly after: Uint8Array };
}

/** Fields that have no part in how a page looks, and those that make files which can't be read or compared. */
const LEFT_OUT = [
  'response_type',
  'include',
  'extract',
  'store',
  'store_path',
  'file_name',
  'disposition',
  'selector_each',
  'pdf_password',
  'pdf_owner_password',
  'pdf_permissions',
];

interface Browsers {
  readonly before: RehearsedBrowser;
  readonly after: RehearsedBrowser;
}

/** Makes each capture with both browsers, one after the other, and compares what they have made. */
export async function* rehearse(
  list: readonly Rehearsed[],
  { before, after }: Browsers,
  signal: AbortSignal,
): AsyncGenerator<Rehearsal, void> {
  const reader = createPdfReader();
  const tools: DocumentTools = { reader, comparePictures: picturesBy(before, signal) };
  try {
    for (const { name, fields } of list) {
      signal.throwIfAborted();
      yield { name, ...(await rehearseOne(steady(fields), { before, after }, { tools, signal })) };
    }
  } finally {
    await reader.close();
  }
}

/** Returns the fields for a rehearsal: the same page at the same moment, and a file that can be compared. */
function steady(fields: CaptureRequest): CaptureRequest {
  const isSteady = fields.format !== 'mhtml'; // which can't be
  const kept: Record<string, unknown> = { ...fields, reproducible: isSteady, cache_ttl: 0 };
  for (const name of LEFT_OUT) delete kept[name];
  return isCaptureRequest(kept) ? kept : fields;
}

type Attempt = { readonly result: CaptureResult } | { readonly error: CaptureError };

interface Work {
  readonly tools: DocumentTools;
  readonly signal: AbortSignal;
}

async function rehearseOne(
  fields: CaptureRequest,
  { before, after }: Browsers,
  { tools, signal }: Work,
): Promise<Omit<Rehearsal, 'name'>> {
  const make = async ({ client }: RehearsedBrowser): Promise<Attempt & { readonly ms: number }> => {
    const startedAt = performance.now();
    try {
      const result = await client.capture(fields, { signal });
      return { result, ms: performance.now() - startedAt };
    } catch (error) {
      if (!(error instanceof CaptureError)) throw error;
      return { error, ms: performance.now() - startedAt };
    }
  };
  const compare = async (one: Attempt, other: Attempt): Promise<readonly Finding[]> => {
    if ('error' in one || 'error' in other) return compareFailures(one, other);
    const sides = [one.result, other.result].map(({ bytes, warnings }) => ({ body: bytes, warnings }));
    const [first, second] = sides;
    if (first === undefined || second === undefined) return [];
    return await compareResults(formatOf(one), first, second, tools).catch((error: unknown) => [
      { kind: 'failed' as const, message: error instanceof CaptureError ? describeFailure(error) : String(error) },
    ]);
  };
  const [old, now] = [await make(before), await make(after)];
  const made = { format: formatOf(old, now), before: madeBy(old), after: madeBy(now) };
  const findings = await compare(old, now);
  if ('error' in old && 'error' in now) return { outcome: 'failed', findings, ...made };
  if (findings.length === 0) return { outcome: 'same', findings, ...made };
  // A page that differs with the same browser says nothing about the other one.
  const varies =
    (await compare(old, await make(before))).length > 0 || (await compare(now, await make(after))).length > 0;
  const files = 'result' in old && 'result' in now ? { before: old.result.bytes, after: now.result.bytes } : undefined;
  return { outcome: varies ? 'varies' : 'moved', findings, ...made, ...(files && { files }) };
}

/** Returns the format of the first attempt that has a result. */
function formatOf(...attempts: readonly Attempt[]): FormatName {
  const [type = ''] = attempts.flatMap((attempt) => ('result' in attempt ? [attempt.result.contentType] : []));
  return formatOfType(type) ?? 'png';
}

/** Returns the format with this content type. Undefined for another one, such as JSON. */
export function formatOfType(contentType: string): FormatName | undefined {
  return FORMAT_NAMES.find((name) => withoutParameters(FORMATS[name].mimeType) === withoutParameters(contentType));
}

function withoutParameters(contentType: string): string | undefined {
  return contentType.split(';')[0];
}

function compareFailures(one: Attempt, other: Attempt): readonly Finding[] {
  const errorOf = (attempt: Attempt): string => ('error' in attempt ? describeFailure(attempt.error) : 'a result');
  const kindOf = (attempt: Attempt): string => ('error' in attempt ? attempt.error.errorType : '');
  if (kindOf(one) === kindOf(other)) return [];
  return [{ kind: 'failed', message: `${errorOf(other)} instead of ${errorOf(one)}` }];
}

function madeBy(attempt: Attempt & { readonly ms: number }): Made {
  if ('error' in attempt) return { warnings: [], error: describeFailure(attempt.error) };
  const { bytes, digest, warnings } = attempt.result;
  return {
    bytes: bytes.length,
    milliseconds: Math.round(attempt.ms),
    ...(digest !== undefined && { digest }),
    warnings,
  };
}

const comparison = z.looseObject({
  ratio: z.number(),
  regions: z.array(z.looseObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })),
});

/** Compares pictures with the service of a browser. */
function picturesBy({ service }: RehearsedBrowser, signal: AbortSignal): DocumentTools['comparePictures'] {
  const call = createCalls({ service: service.url, token: service.token });
  return async (before, after) => {
    const encoded = encodeJson({ before: sideOf(before), after: sideOf(after) });
    return await call(
      { address: new URL(`${service.url}/compare`), method: 'POST', encoded },
      { signal },
      async (response) => {
        const { success, data } = comparison.safeParse(await readJson(response));
        if (success) return data;
        throw new UnexpectedAnswerError(response.status, {});
      },
    );
  };
}

function sideOf(bytes: Uint8Array): object {
  return { base64: Buffer.from(bytes).toString('base64') };
}
