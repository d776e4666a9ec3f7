import type { CDPSession, Protocol } from 'puppeteer';
import { z } from 'zod';
import { raceAbort } from '../../core/ground/timeouts.ts';
import type { Command } from './in-page/consent-world.ts';

const WORLD_NAME = 'consent'; // an isolated world: invisible to the page
/**
 * Maximum number of replies per command. Rules queue their snippets one after the other; a page that needs more is
 * hostile.
 */
const MAX_ROUND_TRIPS = 100;
const MAX_SNIPPETS = 200;
/** Time limit for snippets, because a getter of the page may never return. */
const SNIPPETS_LIMIT_MS = 500;

const bannerStateShape = z.object({ found: z.boolean(), refusable: z.boolean(), frames: z.number() });
const replyShape = z.object({
  snippets: z.array(z.string().max(100)).max(MAX_SNIPPETS).optional(),
  done: bannerStateShape.optional(),
});
const resultsShape = z.array(z.boolean());

/** State of the cookie banners in a document. */
export type BannerState = z.output<typeof bannerStateShape>;

/** A document and its protocol session. */
export interface Place {
  readonly session: CDPSession;
  readonly frameId: string;
  /** True for the first document of its session, which has the default isolated world. */
  readonly isRoot: boolean;
}

/** A session with the banner code in one document. */
export interface FrameSession {
  readonly send: (command: Command, signal: AbortSignal) => Promise<BannerState>;
  /** Evaluates an expression in which the banner code is named `consent`. */
  readonly evaluate: (expression: string, signal: AbortSignal) => Promise<unknown>;
  readonly handle: (expression: string, signal: AbortSignal) => Promise<string | undefined>;
}

interface Tools {
  /** Expression that creates the banner code. */
  readonly script: string;
  readonly snippetsText: (names: readonly string[]) => string;
}

/**
 * Creates an isolated world in the document and installs the banner code.
 * @param answering limits the wait for the first answer: a busy page gives none
 * @throws Error of the protocol if the document is replaced
 */
export async function beginSession(
  { session, frameId, isRoot }: Place,
  { script, snippetsText }: Tools,
  signal: AbortSignal,
  answering = signal,
): Promise<FrameSession> {
  const world = session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD_NAME });
  const { executionContextId: contextId } = await raceAbort(world, answering);
  const run = async (
    expression: string,
    returnByValue: boolean,
    within: AbortSignal,
  ): Promise<Protocol.Runtime.RemoteObject> => {
    const ran = session.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue,
    });
    const { result, exceptionDetails } = await raceAbort(ran, within);
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result;
  };
  await run(`globalThis.consent = ${script}; undefined`, true, signal);

  /** Runs snippets in the page's own world. */
  const runSnippets = async (names: readonly string[], within: AbortSignal): Promise<readonly boolean[]> => {
    const expression = snippetsText(names);
    const ran = isRoot
      ? session.send('Runtime.evaluate', { expression, returnByValue: true, timeout: SNIPPETS_LIMIT_MS })
      : runIn(await ownDocument(within), expression);
    const { result } = await raceAbort(ran, within);
    return resultsShape.safeParse(result.value).data ?? [];
  };
  const runIn = (objectId: string, expression: string): Promise<Protocol.Runtime.CallFunctionOnResponse> =>
    session.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: `function () { return ${expression}; }`,
      returnByValue: true,
    });
  /** Returns the document in the page's own world. */
  const ownDocument = async (within: AbortSignal): Promise<string> => {
    const { objectId = '' } = await run('document', false, within);
    const { node } = await raceAbort(session.send('DOM.describeNode', { objectId }), within);
    const resolved = session.send('DOM.resolveNode', { backendNodeId: node.backendNodeId });
    const { object } = await raceAbort(resolved, within);
    return object.objectId ?? '';
  };

  return {
    send: async (command, within) => {
      let expression = `consent.start(${JSON.stringify(command)})`;
      for (let trips = 0; trips < MAX_ROUND_TRIPS; trips++) {
        const reply = replyShape.parse((await run(expression, true, within)).value);
        if (reply.done !== undefined) return reply.done;
        const results = await runSnippets(reply.snippets ?? [], within);
        expression = `consent.next(${JSON.stringify(results)})`;
      }
      throw new Error('The banner code requests snippets without end');
    },
    evaluate: async (expression, within) => (await run(expression, true, within)).value,
    handle: async (expression, within) => (await run(expression, false, within)).objectId,
  };
}
