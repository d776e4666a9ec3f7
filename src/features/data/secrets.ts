import { type Login, readLogin } from '../../core/egress/url-login.ts';
import type { StorageState } from '../../core/steps/storage-state.ts';
import type { RenderOptions } from '../../core/capture/formats/format.ts';
import { createTextSearch, replaceFound } from './text-search.ts';

/** Replaces secrets in a text by `***`. */
export interface Mask {
  (text: string): string;
  /**
   * Returns the beginning of the masked text, and whether something was cut off. Reads little more than that: a page
   * may log and request thousands of texts of 64 KB.
   */
  readonly start: (text: string, maxLength: number) => { readonly text: string; readonly isCut: boolean };
}

/** Request fields that contain secrets. */
export interface SecretFields extends Partial<RenderOptions> {
  /** May contain a login. */
  readonly url?: string | undefined;
  readonly http_auth?: Login | undefined;
  readonly cookies?: readonly { readonly value: string }[] | undefined;
  readonly storage_state?: StorageState | undefined;
  readonly custom_headers?: Readonly<Record<string, string>> | undefined;
}

const MASKED = '***';
/** Shorter values occur in any text, so masking them would destroy it. */
const MIN_SECRET_LENGTH = 4;
/** Settings such as `dark` or `en-US` lie beside the tokens of a log-in state. */
const MIN_STATE_SECRET_LENGTH = 8;
/** `name=value` in URLs, in URLs within parameters and fragments, and in log messages. */
const NAMED =
  /((?:[?&;#]|%(?:3f|26|3b|23))(?:[\w.[\]-]|%5[bd])*?(?:token|secret|pass(?:w(?:or)?d|phrase|code)?|pwd|api[_-]?key|access[_-]?key|private[_-]?key|auth|signature|sig|hmac|session|sid|jwt|otp|ticket|credential|assertion|code|key)(?:[_-]?(?:id|value|hash))?(?:\]|%5d)?(?:=|%3d))(?:(?!%26|%3b|%23)[^&;#\s"'<>])+/gi;
/** In log messages, a password may contain `@`. */
const USER_INFO = /(\/\/)[^/?#\s"'<>]{1,1000}@/g;
/** Longest secret that is found by its form alone. */
const MAX_FORM_LENGTH = 1_010;
const AUTHORIZATION = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;

/** Creates a mask for the secrets of the request, and for URL parameters with secret-looking names. */
export function createMask({
  url,
  http_auth: login,
  cookies = [],
  storage_state: state,
  custom_headers: headers = {},
}: SecretFields): Mask {
  const given = [
    ...[login, loginIn(url)].flatMap((each) => (each === undefined ? [] : [each.password, basicOf(each)])),
    ...cookies.map(({ value }) => value),
    ...Object.values(headers),
    ...(state === undefined ? [] : secretsIn(state)),
  ];
  const known = new Set(
    given
      .flatMap((value) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, '')])
      .filter((value) => value.length >= MIN_SECRET_LENGTH)
      .flatMap((value) => [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)]),
  );
  const longest = Math.max(MAX_FORM_LENGTH, ...[...known].map(({ length }) => length));
  const search = known.size === 0 ? undefined : createTextSearch([...known]);
  const mask = (text: string): string => {
    return replaceFound(text, search?.(text) ?? [], MASKED)
      .replace(NAMED, `$1${MASKED}`)
      .replace(USER_INFO, `$1${MASKED}@`)
      .replace(AUTHORIZATION, `$1 ${MASKED}`);
  };
  const start: Mask['start'] = (text, maxLength) => {
    const isLong = text.length > maxLength + longest;
    const masked = mask(isLong ? text.slice(0, maxLength + longest) : text);
    // The cut may have left the first half of a secret at the end.
    const shown = isLong ? masked.slice(0, Math.max(0, masked.length - longest)) : masked;
    return { text: shown.slice(0, maxLength).toWellFormed(), isCut: isLong || masked.length > maxLength };
  };
  return Object.assign(mask, { start });
}

/** Maximum number of values of a log-in state that are masked. The longest ones are more likely to be tokens. */
const MAX_STATE_SECRETS = 200;
const MAX_STATE_SECRET_LENGTH = 4_096;

/** Returns the values of cookies and of local storage, and the texts in those that are JSON: tokens lie there. */
function secretsIn({ cookies, origins }: StorageState): readonly string[] {
  const stored = origins.flatMap(({ localStorage }) => localStorage.map(({ value }) => value));
  const values = [...cookies.map(({ value }) => value), ...stored.flatMap((value) => [value, ...textsIn(value)])];
  const secrets = [...new Set(values.filter(isSecret))].toSorted((one, two) => two.length - one.length);
  return secrets.slice(0, MAX_STATE_SECRETS);
}

function isSecret({ length }: string): boolean {
  return length >= MIN_STATE_SECRET_LENGTH && length <= MAX_STATE_SECRET_LENGTH;
}

function textsIn(json: string): readonly string[] {
  if (!/^\s*[[{"]/.test(json)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(json, (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
  } catch {
    // a text that only begins like JSON
  }
  return texts;
}

function loginIn(address: string | undefined): Login | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || url.password === '') return undefined;
  const login = readLogin(url);
  return login === 'malformed' ? { username: url.username, password: url.password } : login;
}

function basicOf({ username, password }: Login): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
