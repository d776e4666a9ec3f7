import { ServiceError, validationError } from '../../../core/ground/errors.ts';
import { unlessKilled } from '../../../core/processes/call-once.ts';
import { createCalls } from '../../../core/processes/peer-calls.ts';
import { isOutOfMemory, startProcess } from '../../../core/processes/peers.ts';
import { FairQueue } from '../../../core/queue/fair-queue.ts';
import { withTimeout } from '../../../core/ground/timeouts.ts';
import { type Template, TemplateProblem } from '../template.ts';
import type { RenderAnswer, RenderCall } from './render-process.ts';

const RENDER_PROCESS = new URL('render-process', import.meta.url);
const RENDER_LIMIT_MS = 1_000;
/** Time limit for a check. A service that starts on a busy machine must not refuse its templates. */
const CHECK_LIMIT_MS = 10_000;
/** Time limit for the start of a process, which reads its libraries. */
const START_LIMIT_MS = 15_000;
/**
 * Added to the limit of a call. Then the process ends itself, in case the service was killed and can no longer end it.
 */
const LAST_LIMIT_MS = 1_000;
const MAX_HEAP_MB = 64;
/** Maximum number of renderings that wait. One key may have half of them. */
const MAX_WAITING = 400;
/** Client name of checks of the folder. No key has such an id. */
const OPERATOR = 'the operator';
const NEVER = new AbortController().signal;

export interface RenderOptions {
  /** The key of the client. Keys share the process fairly. */
  readonly client?: string | undefined;
  readonly checksOnly?: boolean;
  /** Path of the Liquid source to render instead of the page. */
  readonly source?: string | undefined;
}

interface CallOptions extends Pick<RenderOptions, 'source'> {
  readonly client: string;
  /** Undefined: only checks the template. */
  readonly data?: string;
  readonly checksOnly?: boolean;
}

/**
 * Renders templates, and checks data, in a child process with limits of time and memory. Worker threads have memory
 * limits too, but Node ends the whole service if a large array exceeds the limit or a thread is ended near it (Node
 * issue 47224).
 */
export interface Renderer {
  /** @throws TemplateProblem for sources or a schema with faults */
  readonly check: (template: Template) => Promise<void>;
  /**
   * Returns the page, or the text of another source. Undefined for a preset, and with `checksOnly`: then only the data
   * is checked.
   * @param data JSON of an object
   * @throws ServiceError ValidationError that names paths in the data; TemplateError; OverloadedError
   */
  readonly render: (template: Template, data: string, options?: RenderOptions) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** Creates the renderer. The process starts with the first call, and again after it was ended. The caller closes it. */
export function createRenderer({ limitMs = RENDER_LIMIT_MS }: { readonly limitMs?: number } = {}): Renderer {
  /** The process works on one call at a time. The keys of clients share it fairly. */
  const queue = new FairQueue<void>({
    size: 1,
    hasExtraSlot: false,
    maxQueue: MAX_WAITING,
    takeFree: () => undefined,
    putFree: () => undefined,
    waitingName: 'requests with templates',
  });
  /** Templates that the process already has. Otherwise, sources of megabytes would be copied for each rendering. */
  let known = new Set<string>();
  const calls = createCalls({
    name: 'the process of templates',
    start: () => {
      known = new Set();
      return startProcess(RENDER_PROCESS, {
        execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`, '--max-semi-space-size=16'],
      });
    },
  });
  let isClosed = false;

  /** Resolves when the process has read its libraries. */
  const started = (): Promise<void> =>
    withTimeout(calls.call('start', []), START_LIMIT_MS, () => {
      void calls.kill();
      return overloaded('The process of templates did not start in time');
    });

  const run = async (
    { name, revision, sources, schema, hasScripts }: Template,
    { data, source, checksOnly = false }: Omit<CallOptions, 'client'>,
  ): Promise<RenderAnswer> => {
    if (isClosed) throw overloaded('The service is shutting down');
    await started();
    const ms = data === undefined ? CHECK_LIMIT_MS : limitMs;
    const late = (): Error => {
      void calls.kill();
      if (!isClosed) void started().catch(() => undefined); // makes the next call faster
      return new TemplateProblem(`took longer than ${ms} ms`);
    };
    const call = { name, revision, data, source, checksOnly, lastLimitMs: ms + LAST_LIMIT_MS };
    const askWith = (template: RenderCall['template']): Promise<RenderAnswer> =>
      withTimeout(calls.call('render', [{ ...call, template }]), ms, late);
    const isKnown = known.has(`${name} ${revision}`);
    const answer: RenderAnswer = isKnown ? await askWith(undefined) : { kind: 'unknown' };
    if (answer.kind !== 'unknown') return answer;
    known.add(`${name} ${revision}`);
    return await askWith({ sources, schema, hasScripts });
  };

  const call = async (template: Template, { client, ...options }: CallOptions): Promise<RenderAnswer> => {
    await queue.take(client, NEVER);
    try {
      return await unlessKilled(() => run(template, options));
    } catch (error) {
      throw isOutOfMemory(error) ? new TemplateProblem(`needs more than ${MAX_HEAP_MB} MB`) : error;
    } finally {
      queue.giveBack(client, undefined);
    }
  };

  return {
    check: async (template) => {
      const answer = await call(template, { client: OPERATOR });
      if (answer.kind === 'faulty') throw new TemplateProblem(answer.reason);
    },
    render: async (template, data, { client = '', ...options } = {}) => {
      const answer = await call(template, { client, data, ...options }).catch((error: unknown): RenderAnswer => {
        if (error instanceof TemplateProblem) return { kind: 'faulty', reason: error.message };
        throw error;
      });
      if (answer.kind === 'rendered') return answer.text;
      if (answer.kind === 'refused') throw validationError(answer.problems.join('; '));
      const reason = answer.kind === 'faulty' ? answer.reason : 'has no answer';
      throw new ServiceError('TemplateError', undefined, { details: `template ${template.name}: ${reason}` });
    },
    close: async () => {
      isClosed = true;
      await calls.kill();
    },
  };
}

function overloaded(message: string): ServiceError {
  return new ServiceError('OverloadedError', message, { retryAfterSeconds: 1 });
}
