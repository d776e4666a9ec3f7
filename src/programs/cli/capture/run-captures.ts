import { CaptureError } from '../../client/capture-error.ts';
import type { CaptureClient } from '../../client/client.ts';
import type { CaptureResult } from '../../client/capture-result.ts';
import { describeFailure, EXIT, exitCodeOf, OutputError } from '../exit.ts';
import { STANDARD_STREAM, withExtension, writeOutput } from '../output.ts';
import { type ListedCapture, runConcurrently } from './url-list.ts';

interface RunOptions {
  readonly client: CaptureClient;
  readonly concurrency: number;
  readonly stdout: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  /** Reports progress. */
  readonly report: (line: string) => void;
  /** Reports failures. */
  readonly complain: (line: string) => void;
  /** True to print one JSON object per capture to standard output instead of reports. */
  readonly asJson: boolean;
  /** True if the service runs in this process with the settings of the command. */
  readonly isOwnProcess?: boolean;
}

/**
 * Makes all captures and continues after failures. Returns the exit code: that of the failures if all have the same
 * one.
 * @throws the signal's reason
 */
export async function runCaptures(captures: readonly ListedCapture[], options: RunOptions): Promise<number> {
  const startedAt = performance.now();
  const exitCodes: number[] = [];
  await runConcurrently(captures, options.concurrency, async (listed) => {
    try {
      await captureOne(listed, options);
    } catch (error) {
      exitCodes.push(reportFailure(error, listed, options));
    }
  });
  const failed = exitCodes.length;
  if (captures.length > 1) {
    const counts = `${captures.length - failed} captured, ${failed} failed`;
    options.report(`${counts} in ${secondsSince(startedAt)}`);
  }
  const [first = EXIT.ok] = exitCodes;
  return exitCodes.every((code) => code === first) ? first : EXIT.failed;
}

/**
 * Submits captures as jobs and prints their ids in the order of the captures. Returns the exit code.
 * @throws the signal's reason
 */
export async function submitCaptures(
  captures: readonly ListedCapture[],
  {
    client,
    stdout,
    signal,
    report,
    complain,
  }: Pick<RunOptions, 'client' | 'stdout' | 'signal' | 'report' | 'complain'>,
): Promise<number> {
  for (let at = 0; at < captures.length; at += MAX_BATCH) {
    const batch = captures.slice(at, at + MAX_BATCH).map(({ fields }) => fields);
    const [only] = batch;
    try {
      const jobs =
        captures.length === 1 && only !== undefined
          ? [await client.submit(only, { signal })]
          : await client.submitBatch(batch, { signal });
      for (const { id } of jobs) stdout.write(`${id}\n`);
    } catch (error) {
      if (!(error instanceof CaptureError)) throw error;
      const place = captures.length === 1 ? '' : `Captures ${at + 1} to ${at + batch.length}: `;
      complain(`${place}${describeFailure(error)}`);
      return exitCodeOf(error);
    }
  }
  report(`${captures.length} submitted. "capture-service jobs result <id>" waits for a result.`);
  return EXIT.ok;
}

const MAX_BATCH = 100; // the most that the service accepts together

async function captureOne(
  planned: ListedCapture,
  { client, stdout, signal, report, asJson }: RunOptions,
): Promise<void> {
  const startedAt = performance.now();
  const result = await client.capture(planned.fields, { signal });
  const { output, isDefault } = planned;
  const listed = isDefault === true ? { ...planned, output: withExtension(output, result.contentType) } : planned;
  await writeOutput(listed.output, result.bytes, stdout);
  if (asJson) stdout.write(`${JSON.stringify(factsOf(listed, result))}\n`);
  else report(`${nameOf(listed)} -> ${describeResult(listed.output, result, secondsSince(startedAt))}`);
}

/**
 * Returns the exit code of a failure.
 * @throws other errors than a failure of this capture: the signal's reason, or a bug
 */
function reportFailure(error: unknown, listed: ListedCapture, options: RunOptions): number {
  if (error instanceof CaptureError) {
    const { errorType, message, details, status, requestId } = error;
    const failure = { error_type: errorType, message, error_details: details, status, request_id: requestId };
    if (options.asJson) {
      options.stdout.write(`${JSON.stringify({ target: nameOf(listed), error: failure })}\n`);
    } else {
      options.complain(`${nameOf(listed)}: ${describeFailure(error)}${hintFor(error, listed, options)}`);
    }
    return exitCodeOf(error);
  }
  if (!(error instanceof OutputError) || error.lacksReader) throw error;
  options.complain(`${nameOf(listed)}: ${error.message}`);
  return EXIT.failed;
}

/** Returns the facts of a capture under the names of the API. */
function factsOf(listed: ListedCapture, { bytes, ...facts }: CaptureResult): object {
  return {
    target: nameOf(listed),
    output: listed.output,
    content_type: facts.contentType,
    bytes: bytes.length,
    width: facts.width,
    height: facts.height,
    target_status: facts.targetStatus,
    target_url: facts.targetUrl,
    warnings: facts.warnings,
    timings: facts.timings,
    stored_path: facts.storedPath,
    request_id: facts.requestId,
  };
}

/** Returns the output and the facts of a capture for a person, with the time it took if that is known. */
export function describeResult(output: string, { bytes, ...facts }: CaptureResult, time?: string): string {
  const [type = ''] = facts.contentType.split(';');
  const parts = [
    facts.width === undefined ? type : `${type} ${facts.width} x ${facts.height}`,
    sizeOf(bytes),
    ...(time === undefined ? [] : [time]),
    ...(facts.targetStatus === undefined ? [] : [`status ${facts.targetStatus}`]),
    ...(facts.warnings.length === 0 ? [] : [`warnings: ${facts.warnings.join(', ')}`]),
    ...(facts.blockedRequests === 0 ? [] : [`${facts.blockedRequests} connections refused`]),
    ...(facts.filteredRequests === 0 ? [] : [`${facts.filteredRequests} requests blocked`]),
    ...(facts.storedPath === undefined ? [] : [`stored at ${facts.storedPath}`]),
  ];
  return `${output === STANDARD_STREAM ? 'standard output' : output}: ${parts.join(', ')}`;
}

function nameOf({ fields }: ListedCapture): string {
  return fields.url ?? fields.template ?? 'markup';
}

/**
 * Adds a hint to the error for a private address. A service protects its network, but here the network is the user's
 * own machine.
 */
function hintFor(error: CaptureError, { fields }: ListedCapture, { isOwnProcess = false }: RunOptions): string {
  if (!isOwnProcess || error.errorType !== 'DestinationNotAllowedError') return '';
  const host = URL.parse(fields.url ?? '')?.host ?? '';
  return `\nIf this address is meant, set EGRESS_ALLOW=${host}`;
}

function sizeOf({ length }: Uint8Array): string {
  return length < 10_000 ? `${length} bytes` : `${Math.round(length / 1000)} kB`;
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
