import type { CDPSession, Protocol } from 'puppeteer';

/** What becomes of a request: it fails, or goes on with these headers in place of its own of the same name. */
type RequestChange =
  { readonly block: true } | { readonly block: false; readonly headers: Readonly<Record<string, string>> };

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** One reason to hold requests. It is asked about every request that any reason holds, so it checks that it means this one. */
export interface InterceptionRule {
  /** Which requests are held. As few as can be: each costs a round trip. */
  readonly patterns: readonly Protocol.Fetch.RequestPattern[];
  readonly onRequest?: (
    paused: Protocol.Fetch.RequestPausedEvent,
  ) => RequestChange | undefined | Promise<RequestChange | undefined>;
  /** The answer to a server that asks for a password; asked once for each request. */
  readonly onChallenge?: (challenge: Protocol.Fetch.AuthRequiredEvent) => Credentials | undefined;
}

type OnSession = (prepare: (session: CDPSession) => Promise<unknown>) => Promise<void>;

/**
 * The one owner of the Fetch domain in the sessions of a page: two would answer the same request. Nothing is held, and
 * nothing sent to the browser, before the first rule.
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
      const isFirst = !challenged.has(challenge.requestId); // a wrong password would be asked for again, for ever
      challenged.add(challenge.requestId);
      void answer(session, challenge, isFirst ? rules : []);
    });
    return enable(session);
  };

  return async (rule) => {
    rules.push(rule);
    // Sessions of frames come later and get all rules; the page's takes its rules anew, in place of those before.
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
    const answers = await Promise.all(rules.map(async ({ onRequest }) => onRequest?.(paused)));
    const changes = answers.flatMap((change) => change ?? []);
    const headers = changes.flatMap((change) => (change.block ? [] : Object.entries(change.headers)));
    if (changes.some(({ block }) => block)) {
      // An aborted document leaves the page where it is; a blocked one would be replaced by an error page.
      const errorReason = paused.resourceType === 'Document' ? 'Aborted' : 'BlockedByClient';
      await session.send('Fetch.failRequest', { requestId, errorReason });
    } else {
      await session.send('Fetch.continueRequest', {
        requestId,
        ...(headers.length > 0 && { headers: mergeHeaders(request.headers, headers) }),
      });
    }
  } catch {
    // The request is gone: the page navigated or was closed meanwhile.
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
        credentials === undefined
          ? { response: 'Default' }
          : { response: 'ProvideCredentials', ...credentials },
    });
  } catch {
    // As above.
  }
}

/** What goes to the origin of an address, and to no other: scheme, host and port are the same. */
export function onlyTo(url: string): {
  readonly patterns: readonly Protocol.Fetch.RequestPattern[];
  readonly includes: (requested: string) => boolean;
} {
  const { origin, protocol, host } = new URL(url);
  // A name and a password in an address are no part of its origin, but what a pattern is held against has them.
  const prefixes = [origin, `${protocol}//*@${host}`];
  return {
    patterns: prefixes.map((prefix) => ({ urlPattern: `${prefix}/*`, requestStage: 'Request' })),
    includes: (requested) => URL.parse(requested)?.origin === origin,
  };
}

/** Header names are the same in any case. */
function mergeHeaders(
  own: Readonly<Record<string, string>>,
  given: readonly (readonly [name: string, value: string])[],
): Protocol.Fetch.HeaderEntry[] {
  const replaced = new Set(given.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(own).filter(([name]) => !replaced.has(name.toLowerCase()));
  return [...kept, ...given].map(([name, value]) => ({ name, value }));
}
