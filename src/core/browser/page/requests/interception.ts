import type { CDPSession, Protocol } from 'puppeteer';

/** Decision for a request: fail it, or continue with these headers replaced, or with the answer of another URL. */
type RequestChange =
  | { readonly block: true }
  | { readonly block: false; readonly headers?: Readonly<Record<string, string>>; readonly url?: string };

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/**
 * A reason to intercept requests. It is called for every request that any rule intercepts, so it checks whether the
 * request is its own.
 */
export interface InterceptionRule {
  /** Patterns of the requests to intercept. Keep them few, because each intercepted request costs a round trip. */
  readonly patterns: readonly Protocol.Fetch.RequestPattern[];
  readonly onRequest?: (
    paused: Protocol.Fetch.RequestPausedEvent,
  ) => RequestChange | undefined | Promise<RequestChange | undefined>;
  /** True to drop the answer, or the failure, of a request. Called for patterns of the stage `Response`. */
  readonly dropsAnswer?: (paused: Protocol.Fetch.RequestPausedEvent) => boolean;
  /**
   * Returns a function that reads the body of an answer. The page then gets none. Undefined: the page gets the answer.
   * Called for patterns of the stage `Response`.
   */
  readonly takesAnswer?: (
    paused: Protocol.Fetch.RequestPausedEvent,
  ) => ((body: Protocol.IO.StreamHandle) => Promise<void>) | undefined;
  /** Answers HTTP authentication. Called once per request. */
  readonly onChallenge?: (challenge: Protocol.Fetch.AuthRequiredEvent) => Credentials | undefined;
}

type OnSession = (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;

/**
 * The only owner of the Fetch domain in the sessions of a page: two would answer the same request. Intercepts nothing,
 * and sends nothing to the browser, before the first rule.
 */
export function createInterception(
  pageSession: CDPSession,
  onSession: OnSession,
): (rule: InterceptionRule) => Promise<void> {
  const rules: InterceptionRule[] = [];

  const enable = (session: CDPSession): Promise<void> =>
    session.send('Fetch.enable', {
      patterns: rules.flatMap(({ patterns }) => patterns),
      handleAuthRequests: rules.some(({ onChallenge }) => onChallenge !== undefined),
    });

  const install = (session: CDPSession): Promise<void> => {
    const challenged = new Set<string>();
    session.on('Fetch.requestPaused', (paused) => {
      void goOn(session, paused, rules);
    });
    session.on('Fetch.authRequired', (challenge) => {
      // for a wrong password, the browser would request the login endlessly
      const isFirst = !challenged.has(challenge.requestId);
      challenged.add(challenge.requestId);
      void answer(session, challenge, isFirst ? rules : []);
    });
    return enable(session);
  };

  return async (rule) => {
    rules.push(rule);
    // New sessions of frames get all rules. The page's session gets the new list of rules.
    if (rules.length === 1) await onSession(install);
    else await enable(pageSession);
  };
}

async function goOn(
  session: CDPSession,
  paused: Protocol.Fetch.RequestPausedEvent,
  rules: readonly InterceptionRule[],
): Promise<void> {
  const { requestId, request } = paused;
  try {
    if (paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined) {
      const [take] = rules.flatMap(({ takesAnswer }) => takesAnswer?.(paused) ?? []);
      if (take !== undefined) {
        const { stream } = await session.send('Fetch.takeResponseBodyAsStream', { requestId });
        await take(stream);
        await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      } else if (rules.some(({ dropsAnswer }) => dropsAnswer?.(paused)))
        await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      else await session.send('Fetch.continueRequest', { requestId });
      return;
    }
    const answers = await Promise.all(rules.map(async ({ onRequest }) => onRequest?.(paused)));
    const changes = answers.flatMap((change) => change ?? []);
    const headers = changes.flatMap((change) => (change.block ? [] : Object.entries(change.headers ?? {})));
    const [url] = changes.flatMap((change) => (change.block ? [] : (change.url ?? [])));
    if (changes.some(({ block }) => block)) {
      // An aborted navigation leaves the present document; a blocked one would show an error page.
      const errorReason = paused.resourceType === 'Document' ? 'Aborted' : 'BlockedByClient';
      await session.send('Fetch.failRequest', { requestId, errorReason });
    } else {
      await session.send('Fetch.continueRequest', {
        requestId,
        ...(url !== undefined && { url }),
        ...(headers.length > 0 && { headers: mergeHeaders(request.headers, headers) }),
      });
    }
  } catch {
    // The request has ended, because the page navigated or closed.
  }
}

async function answer(
  session: CDPSession,
  challenge: Protocol.Fetch.AuthRequiredEvent,
  rules: readonly InterceptionRule[],
): Promise<void> {
  const [credentials] = rules.flatMap(({ onChallenge }) => onChallenge?.(challenge) ?? []);
  try {
    await session.send('Fetch.continueWithAuth', {
      requestId: challenge.requestId,
      authChallengeResponse:
        credentials === undefined ? { response: 'Default' } : { response: 'ProvideCredentials', ...credentials },
    });
  } catch {
    // The request has ended, because the page navigated or closed.
  }
}

/** Matches requests to the origin of an address: the same scheme, host and port. */
export function onlyTo(url: string): {
  readonly patterns: readonly Protocol.Fetch.RequestPattern[];
  readonly includes: (requested: string) => boolean;
} {
  const { origin, protocol, host } = new URL(url);
  // A login in a URL is not part of its origin, but patterns are matched against it.
  const prefixes = [origin, `${protocol}//*@${host}`];
  return {
    patterns: prefixes.map((prefix) => ({ urlPattern: `${prefix}/*`, requestStage: 'Request' })),
    includes: (requested) => URL.parse(requested)?.origin === origin,
  };
}

/** Header names are case-insensitive. */
function mergeHeaders(
  own: Readonly<Record<string, string>>,
  given: readonly (readonly [name: string, value: string])[],
): Protocol.Fetch.HeaderEntry[] {
  const replaced = new Set(given.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !replaced.has(name.toLowerCase()));
  return [...kept, ...given].map(([name, value]) => ({ name, value }));
}
