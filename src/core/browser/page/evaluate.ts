import type { CDPSession, Protocol } from 'puppeteer';
import { withRetries } from '../../ground/retries.ts';
import { DocumentReplacedError, isDocumentLost, isTerminated, ScriptEndedError } from '../browser-errors.ts';
import { MAX_DOCUMENTS } from './main-frame.ts';

type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [key: string]: Json };

/** Functions are sent as text, so they must be self-contained as well. */
type Argument = Json | ((...args: never) => unknown);

// name of the isolated world, where overrides of the page such as Promise or JSON have no effect
const WORLD_NAME = 'capture';

/** A script threw in the page. In the isolated world it is a bug of ours, or an error that the script reports. */
export class InPageError extends Error {
  override readonly name = 'InPageError';
}

/** Retries for work on a document that may be replaced by a navigation. */
export const WHILE_IT_NAVIGATES = {
  tries: 10 * MAX_DOCUMENTS,
  isRetryable: (error: unknown) => !(error instanceof InPageError) && isDocumentLost(error),
} as const;

/** Code that a function needs in the page, if it is too large to be part of the function. */
interface Tools<T> {
  /** Expression that returns the code. It is evaluated in the isolated world. */
  readonly expression: string;
  /** Time limit of the function in milliseconds. */
  readonly limitMs: number;
  /** Phantom property that carries the type. */
  readonly given?: T;
}

/** An element of the page. */
export interface Handle {
  readonly objectId: string;
}

export interface Evaluation {
  /** Call it for each new document, so that the isolated world exists when it is needed. */
  readonly enterWorld: () => void;
  /**
   * Runs a self-contained function in the isolated world of the main frame. Arguments and result are sent as JSON. Runs
   * it again after a navigation.
   * @throws InPageError if the function throws
   */
  readonly evaluate: <A extends readonly Argument[], R>(run: (...args: A) => R | Promise<R>, ...args: A) => Promise<R>;
  /**
   * Like `evaluate`, with the value of an expression as the first argument, and with a time limit.
   * @throws ScriptEndedError on timeout
   */
  readonly evaluateWith: <T, A extends readonly Argument[], R>(
    tools: Tools<T>,
    run: (tools: T, ...args: A) => R,
    ...args: A
  ) => Promise<R>;
  /**
   * Runs a self-contained function that returns an element, in the isolated world. Undefined if it returns null.
   * `callOn` uses the element, which lives as long as its document.
   */
  readonly evaluateHandle: <A extends readonly Argument[]>(
    run: (...args: A) => Element | null,
    ...args: A
  ) => Promise<Handle | undefined>;
  /**
   * Returns the element of a direct child frame.
   * @throws Error of the protocol if the frame was removed
   */
  readonly frameElement: (frameId: string) => Promise<Handle>;
  /** Like `evaluate`, with an element as the first argument. */
  readonly callOn: <A extends readonly Json[], R>(
    handle: Handle,
    run: (element: Element, ...args: A) => R | Promise<R>,
    ...args: A
  ) => Promise<R>;
}

/** Runs functions in the isolated world of a frame. */
export function createEvaluate(send: CDPSession['send'], frameId: string): Evaluation {
  let world: Promise<number> | undefined;
  const createWorld = async (): Promise<number> => {
    const created = await send('Page.createIsolatedWorld', { frameId, worldName: WORLD_NAME });
    return created.executionContextId;
  };

  const evaluateOnce = async (
    expression: string,
    returnByValue: boolean,
    timeout?: number,
  ): Promise<Protocol.Runtime.RemoteObject> => {
    try {
      const used = (world ??= createWorld());
      const contextId = await used;
      const answer = await send('Runtime.evaluate', {
        expression,
        contextId,
        awaitPromise: true,
        returnByValue,
        ...(timeout !== undefined && { timeout }),
      });
      // Each process counts its contexts from 1. After a navigation to another process, the id may be that of a frame
      // of the next page.
      if (world !== used) throw new DocumentReplacedError('the page was replaced during an evaluation');
      return resultOf(answer);
    } catch (error) {
      if (timeout !== undefined && isTerminated(error))
        throw new ScriptEndedError('a script ran for too long', { cause: error });
      if (!(error instanceof InPageError || error instanceof DocumentReplacedError)) world = undefined;
      throw error;
    }
  };
  const evaluateText: typeof evaluateOnce = (...args) => withRetries(() => evaluateOnce(...args), WHILE_IT_NAVIGATES);

  return {
    enterWorld: () => {
      world = createWorld();
      world.catch(() => undefined); // callers that use the world get the error
    },
    evaluate: async (run, ...args) => (await evaluateText(callText(run, args), true)).value,
    evaluateWith: async ({ expression, limitMs }, run, ...args) =>
      (await evaluateText(callText(run, args, expression), true, limitMs)).value,
    evaluateHandle: async (run, ...args) => {
      const { objectId } = await evaluateText(callText(run, args), false);
      return objectId === undefined ? undefined : { objectId };
    },
    frameElement: async (child) => {
      const [{ backendNodeId }, executionContextId] = await Promise.all([
        send('DOM.getFrameOwner', { frameId: child }),
        (world ??= createWorld()),
      ]);
      const { object } = await send('DOM.resolveNode', { backendNodeId, executionContextId });
      if (object.objectId === undefined) throw new Error('the element of the frame was removed');
      return { objectId: object.objectId };
    },
    callOn: async ({ objectId }, run, ...args) => {
      const response = await send('Runtime.callFunctionOn', {
        objectId,
        functionDeclaration: `function (...args) { return (${run.toString()})(this, ...args); }`,
        arguments: args.map((value) => ({ value })),
        awaitPromise: true,
        returnByValue: true,
      });
      return resultOf(response).value;
    },
  };
}

/** Text that calls a self-contained function, with the value of an expression as first argument if given. */
export function callText(run: (...args: never) => unknown, args: readonly Argument[], expression?: string): string {
  const texts = [...(expression === undefined ? [] : [expression]), ...textsOf(args)];
  return `(${run.toString()})(${texts.join(', ')})`;
}

function textsOf(args: readonly Argument[]): readonly string[] {
  return args.map((arg) => (typeof arg === 'function' ? `(${arg.toString()})` : JSON.stringify(arg ?? null)));
}

function resultOf({ result, exceptionDetails }: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.RemoteObject {
  if (exceptionDetails !== undefined) throw inPageError(exceptionDetails);
  return result;
}

/**
 * Runs a script of the request once in the page's own world, with top-level await. Returns nothing, because the page
 * controls all values of its world.
 * @throws InPageError if it throws or has a syntax error
 */
export async function runInPageWorld(send: CDPSession['send'], script: string): Promise<void> {
  const { exceptionDetails } = await send('Runtime.evaluate', {
    expression: script,
    awaitPromise: true,
    // allows top-level `await`, and a `const` whose name the page uses; does not await a promise as the last value
    replMode: true,
  });
  if (exceptionDetails !== undefined) throw inPageError(exceptionDetails);
}

function inPageError({ exception, text }: Protocol.Runtime.ExceptionDetails): InPageError {
  const thrown = exception?.description ?? (exception === undefined ? undefined : String(exception.value));
  return new InPageError(thrown ?? text);
}
