import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { errorCode } from '../ground/errors.ts';
import type { Logger } from '../ground/log.ts';
import { DEFAULT_KEY, type Key, SCOPES } from './key.ts';
import { type FileKey, parseKeyFile, readKeyFile } from './key-file.ts';

const POLL_MS = 1_000;

/** The keys that are in force now. */
export interface KeyRing {
  /** True if requests need credentials: AUTH_TOKEN or KEYS_FILE is set. */
  readonly isRequired: boolean;
  /** Returns the key of a bearer token. Undefined if there is none, or if it is disabled or has expired. */
  readonly byToken: (token: string) => Key | undefined;
  /** Returns a key that is in force. */
  readonly byId: (id: string) => Key | undefined;
  /**
   * False if the settings switch links off: those without `key` by a missing URL_SIGNING_SECRET, the others by a
   * missing KEYS_FILE. Tells nothing about which keys the file has.
   */
  readonly acceptsLinks: (named: string | undefined) => boolean;
  /** Reads the file again now. */
  readonly reload: () => void;
  /** Stops watching the file. */
  readonly close: () => void;
}

interface KeyRingOptions {
  readonly keysFile: string | undefined;
  readonly authToken: string | undefined;
  readonly urlSigningSecret: string | undefined;
  /** Names of the request fields. */
  readonly fieldNames: ReadonlySet<string>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

interface Keys {
  readonly byId: ReadonlyMap<string, Key>;
  /** By the SHA-256 of the token, so that the time of a lookup tells nothing about the token. */
  readonly byHash: ReadonlyMap<string, Key>;
}

/**
 * Reads the keys of KEYS_FILE, and reads them again when the file changes. An invalid file changes nothing and is
 * reported. The caller closes it.
 * @throws Error with a message for the operator if the file is invalid at the start
 */
export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { keysFile, authToken, urlSigningSecret, now, log } = options;
  // before the file is read, so that no change is missed
  let version = keysFile === undefined ? '' : versionOf(keysFile);
  let keys = index(keysFile === undefined ? [] : read(keysFile, options), options);

  const load = (file: string): void => {
    try {
      keys = index(read(file, options), options);
      log.info({ keys: keys.byId.size }, 'KEYS_FILE was read again');
    } catch (error) {
      log.error({ err: error }, 'KEYS_FILE is invalid: the last valid keys stay in force');
    }
  };
  const poll = (file: string): void => {
    const found = versionOf(file);
    if (found === version) return;
    version = found;
    load(file);
  };
  const timer = keysFile === undefined ? undefined : setInterval(poll, POLL_MS, keysFile).unref();
  const inForce = (key: Key | undefined): Key | undefined =>
    key?.expiresAtMs !== undefined && now() >= key.expiresAtMs ? undefined : key;

  return {
    isRequired: authToken !== undefined || keysFile !== undefined,
    byToken: (token) => inForce(keys.byHash.get(hash('sha256', token, 'hex'))),
    byId: (id) => inForce(keys.byId.get(id)),
    acceptsLinks: (named) => (named === undefined ? urlSigningSecret : keysFile) !== undefined,
    reload: () => {
      if (keysFile !== undefined) load(keysFile);
    },
    close: () => clearInterval(timer),
  };
}

/** Follows links: Kubernetes replaces a link when a secret changes. Never throws, because a timer calls it. */
function versionOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    return `unreadable ${errorCode(error)}`;
  }
}

function read(file: string, { fieldNames }: KeyRingOptions): readonly FileKey[] {
  try {
    return parseKeyFile(readKeyFile(file), fieldNames);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`KEYS_FILE: ${reason}`, { cause: error });
  }
}

function index(found: readonly FileKey[], { authToken, urlSigningSecret }: KeyRingOptions): Keys {
  const byId = new Map<string, Key>();
  const byHash = new Map<string, Key>();
  for (const { key, tokenHashes, isDisabled } of found) {
    if (isDisabled) continue;
    byId.set(key.id, key);
    for (const tokenHash of tokenHashes) byHash.set(tokenHash, key);
  }
  if (authToken !== undefined || urlSigningSecret !== undefined) {
    const key = createDefaultKey(urlSigningSecret);
    byId.set(key.id, key);
    if (authToken !== undefined) byHash.set(hash('sha256', authToken, 'hex'), key);
  }
  return { byId, byHash };
}

function createDefaultKey(secret: string | undefined): Key {
  return {
    id: DEFAULT_KEY,
    scopes: new Set(SCOPES),
    signingSecrets: secret === undefined ? [] : [secret],
    templatesOnly: false,
    deniedFields: new Set(),
  };
}
