import type { DocumentAnswer, NavigationFailure } from '../browser/page/main-frame.ts';
import type { GateRefusal, GateSession } from '../egress/gate/gate-session.ts';
import { ServiceError } from '../ground/errors.ts';

const NAVIGATION_SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/ERR_NAME_NOT_RESOLVED|ERR_NAME_RESOLUTION_FAILED|ERR_ICANN_NAME_COLLISION/, 'its host name does not resolve'],
  [/ERR_CONNECTION_REFUSED/, 'its server refuses the connection'],
  [/ERR_CONNECTION_TIMED_OUT|ERR_TIMED_OUT/, 'its server does not answer'],
  [/ERR_CONNECTION_(RESET|CLOSED|ABORTED)/, 'its server interrupted the connection'],
  [/ERR_EMPTY_RESPONSE/, 'its server closed the connection without an answer'],
  [/ERR_ADDRESS_UNREACHABLE|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_/, "its server can't be reached"],
  [/ERR_TOO_MANY_REDIRECTS/, 'it redirects in a loop'],
  [
    /ERR_UNSAFE_REDIRECT|ERR_UNKNOWN_URL_SCHEME|ERR_DISALLOWED_URL_SCHEME/,
    'it redirects to something that is not a web page',
  ],
  [/ERR_UNSAFE_PORT/, 'browsers block its port'],
  [/ERR_(CERT|SSL|BAD_SSL|TLS)/, 'its TLS certificate or handshake is invalid'],
  [/ERR_CONTENT_DECODING/, 'its content is not encoded as its header Content-Encoding says'],
  [/ERR_(CONTENT_LENGTH|INCOMPLETE)/, 'its server interrupted the answer'],
  [/ERR_(INVALID|HTTP2|CONTENT|RESPONSE_HEADERS|QUIC)/, 'its server sent an answer that is not valid HTTP'],
  [/ERR_SOCKS_CONNECTION_FAILED|ERR_PROXY_CONNECTION_FAILED/, "its server can't be reached"],
];

/** Returns the error for a network error of Chrome (`net::ERR_...`), without address and code. */
export function navigationError(errorText: string, answer?: DocumentAnswer): ServiceError {
  const known = NAVIGATION_SENTENCES.find(([pattern]) => pattern.test(errorText));
  const isInterrupted = errorText.includes('ERR_ABORTED');
  const reason = isInterrupted ? describeInterruption(answer) : (known?.[1] ?? "the browser can't load it");
  return new ServiceError('NavigationError', `The page could not be loaded: ${reason}`, {
    cause: new Error(errorText),
  });
}

/** Chrome interrupts the navigation to something that it would download, and to an answer without content. */
function describeInterruption(answer: DocumentAnswer | undefined): string {
  if (answer === undefined) return 'it is a download or has no content';
  if (answer.status === 204 || answer.status === 205) return 'its answer has no content';
  const isType = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(answer.mimeType);
  return `it is a download${isType ? ` (${answer.mimeType})` : ''}, not a web page`;
}

/** Characters of a host in a message. */
const MAX_HOST = 260;

/** Failures of the outgoing proxy, for which Chrome has no error. */
const PROXY_SENTENCES = {
  proxy_refused: 'the outgoing proxy of the service refuses the connection',
  proxy_away: "the outgoing proxy of the service can't be reached",
} as const;

/** The error that Chrome would report if it dialled itself. For Chrome, all refusals of the gate are the same. */
const CHROME_ERRORS = {
  unresolved: 'net::ERR_NAME_NOT_RESOLVED',
  refused: 'net::ERR_CONNECTION_REFUSED',
  timed_out: 'net::ERR_CONNECTION_TIMED_OUT',
  unreachable: 'net::ERR_ADDRESS_UNREACHABLE',
  over_budget: 'net::ERR_INSUFFICIENT_RESOURCES',
  filtered: 'net::ERR_SOCKS_CONNECTION_FAILED', // the address of the main frame is never filtered
} as const satisfies Record<Exclude<GateRefusal, 'not_allowed' | keyof typeof PROXY_SENTENCES>, string>;

/** Returns the client's error for a page that failed to load, using the reason that the gate has recorded. */
export function explainFailure(gateSession: GateSession, { errorText, url, answer }: NavigationFailure): ServiceError {
  const refusal = gateSession.refusalOf(url);
  if (refusal === undefined) return navigationError(errorText, answer);
  if (refusal === 'not_allowed') return notAllowed();
  if (refusal === 'proxy_refused' || refusal === 'proxy_away') {
    const sentence = PROXY_SENTENCES[refusal];
    return new ServiceError('NavigationError', `The page could not be loaded: ${sentence}`);
  }
  return navigationError(CHROME_ERRORS[refusal]);
}

/**
 * Returns the error for an address that the settings forbid. It names the entry to add only if the request contains
 * that host. Other addresses must not appear in errors, because the client does not know them.
 * @param given the address as the request has it. Undefined for one that a page leads to
 */
export function notAllowed(given?: string): ServiceError {
  const host = URL.parse(given ?? '')?.host ?? '';
  const isKnown = host !== '' && given?.toLowerCase().includes(host) === true;
  const hint = isKnown
    ? `add ${host.slice(0, MAX_HOST)} to EGRESS_ALLOW, and to EGRESS_ONLY if that is set`
    : 'the setting EGRESS_ALLOW names what pages may open besides public addresses; EGRESS_ONLY, if set, names all';
  return new ServiceError('DestinationNotAllowedError', undefined, { hint });
}

/** Types of errors that a page with a failure status may explain. */
const EXPLAINED_BY_STATUS: ReadonlySet<string> = new Set(['TimeoutError', 'ElementNotFoundError', 'ActionFailedError']);

/**
 * Adds the status of the page to an error of a wait, an element or an action, if it is 400 or above. Returns other
 * errors unchanged.
 */
export function withTargetStatus(error: unknown, status: number | undefined): unknown {
  if (!(error instanceof ServiceError) || !EXPLAINED_BY_STATUS.has(error.type)) return error;
  if (status === undefined || status < 400) return error;
  const note = `the page answered with status ${status}`;
  const details = error.details === undefined ? note : `${error.details}; ${note}`;
  return new ServiceError(error.type, error.message, { details, cause: error });
}
