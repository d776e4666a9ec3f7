import type { CDPSession, Protocol } from 'puppeteer';
import { withRetries } from '../../retries.ts';
import { isDocumentLost, isTerminated, ScriptEndedError } from '../browser-errors.ts';
import { MAX_DOCUMENTS } from './main-frame.ts';

type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [key: string]: Json };

/** Functions travel as their text, so they are self-contained as well. */
type Argument = Json | ((...args: never) => unknown);

const WORLD_NAME = 'capture'; // our scripts run beside the page's: its overridden Promise or JSON is not ours

/** A script threw in the page. In our own world that is a bug of ours, or something it reports about its arguments. */
export class InPageError extends Error {
  override readonly name = 'InPageError';
}

/** For work on a document that may be lost to a navigation: those are bounded, and so are the tries. */
export const WHILE_IT_NAVIGATES = {
  tries: 10 * MAX_DOCUMENTS,
  isWorthIt: (error: unknown) => !(error instanceof InPageError) && isDocumentLost(error),
} as const;

/** What a function needs in the page, and is too large to be part of it. */
interface Tools<T> {
  /** Gives them, evaluated in our world. */
  readonly expression: string;
  /** Milliseconds that it may run, with the function. */
  readonly limitMs: number;
  /** Never there: says what they are. */
  readonly given?: T;
}

/** An element of the page. */
export interface Handle {
  readonly objectId: string;
}

export interface Evaluation {
  /** To be called when a document has come: our world in it is then there when it is needed. */
  readonly enterWorld: () => void;
  /**
   * Runs a self-contained function in the page's main frame, in a world of our own; arguments and result travel as
   * JSON. A navigation under way is waited out by running it again.
   * @throws InPageError when the function throws.
   */
  readonly evaluate: <A extends readonly Argument[], R>(
    run: (...args: A) => R | Promise<R>,
    ...args: A
  ) => Promise<R>;
  /**
   * As `evaluate`, with what an expression gives there as the first argument, and ended when it runs for too long.
   * @throws ScriptEndedError when it was ended.
   */
  readonly evaluateWith: <T, A extends readonly Argument[], R>(
    tools: Tools<T>,
    run: (tools: T, ...args: A) => R,
    ...args: A
  ) => Promise<R>;
  /**
   * Runs a self-contained function that gives back an element, in our world; undefined when it gives back null. The
   * element lives as long as the document: `callOn` works with it.
   */
  readonly evaluateHandle: <A extends readonly Argument[]>(
    run: (...args: A) => Element | null,
    ...args: A
  ) => Promise<Handle | undefined>;
  /** The element in which a frame right inside this one is shown. @throws Error of the protocol when it has gone. */
  readonly frameElement: (frameId: string) => Promise<Handle>;
  /** As `evaluate`, with an element of the page as the first argument. */
  readonly callOn: <A extends readonly Json[], R>(
    handle: Handle,
    run: (element: Element, ...args: A) => R | Promise<R>,
    ...args: A
  ) => Promise<R>;
}

/** Runs functions in a frame, in a world of our own. */
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
      const contextId = await (world ??= createWorld());
      return resultOf(
        await send('Runtime.evaluate', {
          expression,
          contextId,
          awaitPromise: true,
          returnByValue,
          ...(timeout !== undefined && { timeout }),
        }),
      );
    } catch (error) {
      if (timeout !== undefined && isTerminated(error))
        throw new ScriptEndedError('a script ran for too long', { cause: error });
      if (!(error instanceof InPageError)) world = undefined;
      throw error;
    }
  };
  const evaluateText: typeof evaluateOnce = (...args) =>
    withRetries(() => evaluateOnce(...args), WHILE_IT_NAVIGATES);

  return {
    enterWorld: () => {
      world = createWorld();
      world.catch(() => undefined); // whoever needs it is told
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
      if (object.objectId === undefined) throw new Error('the element of the frame has gone');
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

/** The text of a call of a self-contained function; what an expression gives is its first argument, where there is one. */
export function callText(
  run: (...args: never) => unknown,
  args: readonly Argument[],
  expression?: string,
): string {
  const texts = [...(expression === undefined ? [] : [expression]), ...textsOf(args)];
  return `(${run.toString()})(${texts.join(', ')})`;
}

function textsOf(args: readonly Argument[]): readonly string[] {
  return args.map((arg) => (typeof arg === 'function' ? `(${arg.toString()})` : JSON.stringify(arg ?? null)));
}

function resultOf({
  result,
  exceptionDetails,
}: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.RemoteObject {
  if (exceptionDetails !== undefined) throw inPageError(exceptionDetails);
  return result;
}

/**
 * Runs a client's script among the page's own, once, and waits for what it awaits at its top. Nothing comes back:
 * what the page's world gives is the page's to choose.
 * @throws InPageError when it throws or can not be read.
 */
export async function runInPageWorld(send: CDPSession['send'], script: string): Promise<void> {
  const { exceptionDetails } = await send('Runtime.evaluate', {
    expression: script,
    awaitPromise: true,
    replMode: true, // `await` at the top, and a `const` whose name the page has too; a promise that it merely ends in is not waited for
  });
  if (exceptionDetails !== undefined) throw inPageError(exceptionDetails);
}

function inPageError({ exception, text }: Protocol.Runtime.ExceptionDetails): InPageError {
  const thrown = exception?.description ?? (exception === undefined ? undefined : String(exception.value));
  return new InPageError(thrown ?? text);
}
