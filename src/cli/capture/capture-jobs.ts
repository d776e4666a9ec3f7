import { CaptureError } from '../../client/capture-error.ts';
import type { CaptureFacts } from '../../client/capture-facts.ts';
import type { CaptureClient } from '../../client/client.ts';
import { describeFailure, EXIT, exitCodeOf } from '../exit.ts';
import { runConcurrently, type Job } from './jobs.ts';
import { STANDARD_STREAM, writeOutput } from '../output.ts';

interface RunOptions {
  readonly client: CaptureClient;
  readonly concurrency: number;
  readonly stdout: NodeJS.WritableStream;
  readonly signal: AbortSignal;
  /** Reports progress. */
  readonly report: (line: string) => void;
  /** Reports failures. */
  readonly complain: (line: string) => void;
  /** True if the service stores jobs. Then all captures are submitted first, and the results are fetched afterwards. */
  readonly submits?: boolean;
  /** True if the service runs in this process with the settings of the command. */
  readonly ownProcess?: boolean;
}

/**
 * Captures all jobs and continues after failures. Returns the exit code; for a single job, that of its failure.
 * @throws the signal's reason
 */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<number> {
  const { report, complain } = options;
  const startedAt = performance.now();
  const exitCodes: number[] = [];
  const submitted = new Map<Job, string>();
  const tryEach = async (work: (job: Job) => Promise<void>, all: readonly Job[]): Promise<void> => {
    await runConcurrently(all, options.concurrency, async (job) => {
      try {
        await work(job);
      } catch (error) {
        const { reason, exitCode } = explain(error, job, options);
        exitCodes.push(exitCode);
        complain(`${nameOf(job)}: ${reason}`);
      }
    });
  };
  // Submits all first: the service completes them even if this process ends or the service restarts.
  if (options.submits === true) {
    await tryEach(async (job) => {
      submitted.set(job, (await options.client.submit(job.fields, { signal: options.signal })).id);
    }, jobs);
    report(`${submitted.size} submitted`);
    await tryEach((job) => captureJob(job, options, submitted.get(job)), [...submitted.keys()]);
  } else {
    await tryEach((job) => captureJob(job, options), jobs);
  }

  const failed = exitCodes.length;
  if (jobs.length === 1) return exitCodes[0] ?? EXIT.ok;
  report(`${jobs.length - failed} captured, ${failed} failed in ${secondsSince(startedAt)}`);
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

/** @throws other errors than a failure of this job: the signal's reason, or a bug */
function explain(error: unknown, job: Job, options: RunOptions): { reason: string; exitCode: number } {
  if (error instanceof CaptureError) {
    const reason = `${describeFailure(error)}${hintFor(error, job, options)}`;
    return { reason, exitCode: exitCodeOf(error) };
  }
  // Errors of the file system have a code.
  if (!(error instanceof Error) || !('code' in error) || options.signal.aborted) throw error;
  return { reason: `the output can't be written: ${error.message}`, exitCode: EXIT.failed };
}

/** @param id id of the submitted job. Undefined: captured at once */
async function captureJob(
  job: Job,
  { client, stdout, signal, report }: RunOptions,
  id?: string,
): Promise<void> {
  const startedAt = performance.now();
  const capturing = id === undefined ? client.capture(job.fields, { signal }) : client.wait(id, { signal });
  const { bytes, ...facts } = await capturing;
  await writeOutput(job.output, bytes, stdout);
  report(describeCapture(job, facts, `${sizeOf(bytes)}, ${secondsSince(startedAt)}`));
}

function describeCapture(job: Job, facts: CaptureFacts, sizeAndTime: string): string {
  const output = job.output === STANDARD_STREAM ? 'standard output' : job.output;
  const [type = ''] = facts.contentType.split(';');
  const parts = [
    facts.width === undefined ? type : `${type} ${facts.width} x ${facts.height}`,
    sizeAndTime,
    ...(facts.targetStatus === undefined ? [] : [`status ${facts.targetStatus}`]),
    ...(facts.warnings.length === 0 ? [] : [`warnings: ${facts.warnings.join(', ')}`]),
    ...(facts.blockedRequests === 0 ? [] : [`${facts.blockedRequests} connections refused`]),
    ...(facts.filteredRequests === 0 ? [] : [`${facts.filteredRequests} requests blocked`]),
    ...(facts.storedPath === undefined ? [] : [`stored at ${facts.storedPath}`]),
  ];
  return `${nameOf(job)} -> ${output}: ${parts.join(', ')}`;
}

function nameOf({ fields }: Job): string {
  return typeof fields['url'] === 'string' ? fields['url'] : 'markup';
}

/** Adds a hint to the error for a private address. A service protects its network, but here the network is the user's own machine. */
function hintFor(error: CaptureError, { fields }: Job, { ownProcess = false }: RunOptions): string {
  if (!ownProcess || error.errorType !== 'DestinationNotAllowedError') return '';
  const host = URL.parse(String(fields['url']))?.host ?? '';
  return `\nIf this address is meant, set EGRESS_ALLOW=${host}`;
}

function sizeOf({ length }: Uint8Array): string {
  return length < 10_000 ? `${length} bytes` : `${Math.round(length / 1000)} kB`;
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
