import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError, validationError } from '../../errors.ts';
import { createMutex } from '../../mutex.ts';
import { withTimeout } from '../../timeouts.ts';
import { type Template, TemplateProblem } from '../template.ts';
import type { RenderAnswer, RenderCall } from './render-calls.ts';

const WORKER = new URL(`render-worker${extname(import.meta.url)}`, import.meta.url);
const RENDER_LIMIT_MS = 1_000;
/** Time limit for a check. A service that starts on a busy machine must not refuse its templates. */
const CHECK_LIMIT_MS = 10_000;
/** Time limit for the start of a thread, which reads its libraries. */
const START_LIMIT_MS = 15_000;
const MAX_HEAP_MB = 64;
/** Maximum number of renderings that wait. */
const MAX_WAITING = 200;

interface Thread {
  readonly ask: (call: RenderCall) => Promise<RenderAnswer>;
  /** Resolves when the thread has read its libraries. */
  readonly ready: Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** Renders templates, and checks data, in a worker thread with limits of time and memory. */
export interface Renderer {
  /** @throws TemplateProblem for sources or a schema with faults */
  readonly check: (template: Template) => Promise<void>;
  /**
   * Returns the page. Undefined for a preset, whose data is only checked.
   * @param data JSON of an object
   * @throws ServiceError ValidationError that names paths in the data; TemplateError; OverloadedError
   */
  readonly render: (template: Template, data: string) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** Creates the renderer. The thread starts with the first call, and again after it was ended. The caller closes it. */
export function createRenderer({ limitMs = RENDER_LIMIT_MS }: { readonly limitMs?: number } = {}): Renderer {
  const serialized = createMutex();
  let thread: Thread | undefined;
  let waiting = 0;
  let isClosed = false;

  const drop = (dropped: Thread): void => {
    if (thread === dropped) thread = undefined;
    void dropped.end();
  };
  /** Makes the next call faster. */
  const replace = (dropped: Thread): void => {
    drop(dropped);
    if (!isClosed) thread = startThread(drop);
  };

  const run = async (call: RenderCall): Promise<RenderAnswer> => {
    if (isClosed)
      throw new ServiceError('OverloadedError', 'The service is shutting down', { retryAfterSeconds: 1 });
    const running = (thread ??= startThread(drop));
    await withTimeout(running.ready, START_LIMIT_MS, () => {
      drop(running);
      return new ServiceError('OverloadedError', 'The thread of templates did not start in time', {
        retryAfterSeconds: 1,
      });
    });
    const ms = call.data === undefined ? CHECK_LIMIT_MS : limitMs;
    const late = (): Error => {
      replace(running);
      return new TemplateProblem(`took longer than ${ms} ms`);
    };
    return await withTimeout(running.ask(call), ms, late);
  };

  const call = async (
    { name, revision, sources, schema }: Template,
    data?: string,
  ): Promise<RenderAnswer> => {
    if (waiting >= MAX_WAITING) {
      throw new ServiceError('OverloadedError', 'Too many requests with templates', { retryAfterSeconds: 1 });
    }
    waiting++;
    try {
      return await serialized(() => run({ name, revision, sources, schema, data }));
    } finally {
      waiting--;
    }
  };

  return {
    check: async (template) => {
      const answer = await call(template);
      if (answer.kind === 'faulty') throw new TemplateProblem(answer.reason);
    },
    render: async (template, data) => {
      const answer = await call(template, data).catch((error: unknown): RenderAnswer => {
        if (error instanceof TemplateProblem) return { kind: 'faulty', reason: error.message };
        throw error;
      });
      if (answer.kind === 'rendered') return answer.html;
      if (answer.kind === 'refused') throw validationError(answer.problems.join('; '));
      const reason = answer.kind === 'faulty' ? answer.reason : 'has no answer';
      throw new ServiceError('TemplateError', undefined, { details: `template ${template.name}: ${reason}` });
    },
    close: async () => {
      isClosed = true;
      await thread?.end();
    },
  };
}

/** Starts a thread. Calls `onEnd` when it has ended. */
function startThread(onEnd: (thread: Thread) => void): Thread {
  const worker = new Worker(WORKER, {
    env: {},
    name: 'templates',
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  const ready = Promise.withResolvers<void>();
  let pending: PromiseWithResolvers<RenderAnswer> | undefined;
  let reason: Error | undefined;

  const thread: Thread = {
    ready: ready.promise,
    ask: (call) => {
      pending = Promise.withResolvers();
      worker.ref();
      worker.postMessage(call); // oxlint-disable-line require-post-message-target-origin -- a thread, not a window
      return pending.promise;
    },
    end: () => worker.terminate(),
  };
  worker
    .on('message', (answer: RenderAnswer) => {
      if (answer.kind === 'ready') return ready.resolve();
      worker.unref();
      pending?.resolve(answer);
    })
    .on('error', (error: Error) => (reason = error))
    .once('exit', () => {
      const problem = problemOf(reason);
      ready.reject(problem);
      pending?.reject(problem);
      onEnd(thread);
    });
  ready.promise.catch(() => undefined);
  return thread;
}

function problemOf(reason: Error | undefined): Error {
  const code = reason !== undefined && 'code' in reason ? reason.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new TemplateProblem(`needs more than ${MAX_HEAP_MB} MB`);
  return new Error('the thread of templates ended', { cause: reason });
}
