import type { EgressRule } from '../egress/rules.ts';
import type { Rate } from './rate.ts';

/** What a key may do. */
export const SCOPES = ['capture', 'sign', 'jobs', 'mcp', 'usage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Id of the key that AUTH_TOKEN and URL_SIGNING_SECRET make. */
export const DEFAULT_KEY = 'default';

/** Captures that a key may make in a period, in UTC. */
export interface Quota {
  readonly captures: number;
  readonly per: 'day' | 'month';
}

/** A client of the service, with its rights and limits. */
export interface Key {
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Secrets of signed links. The first one signs; all of them verify. */
  readonly signingSecrets: readonly string[];
  /** Replaces the rate limits of client addresses. */
  readonly rate?: Rate | undefined;
  /** Maximum number of captures at once, jobs included. */
  readonly concurrency?: number | undefined;
  readonly quota?: Quota | undefined;
  /** Names of the templates that the key may use. Undefined: all. */
  readonly templates?: readonly string[] | undefined;
  /** True if every capture must use a template. */
  readonly templatesOnly: boolean;
  /** Request fields that the key may not use. */
  readonly deniedFields: ReadonlySet<string>;
  /** Destinations of pages of this key, within those of the service. Undefined: all of these. */
  readonly egressAllow?: readonly EgressRule[] | undefined;
  /** Unix milliseconds. */
  readonly expiresAtMs?: number | undefined;
}

/** Returns the owner of what a key makes. Without authentication, it is the default key. */
export function ownerOf(key: Pick<Key, 'id'> | undefined): string {
  return key?.id ?? DEFAULT_KEY;
}

/** True if this key, or a service without authentication, may see everything. */
export function seesEverything(key: Pick<Key, 'id'> | undefined): boolean {
  return ownerOf(key) === DEFAULT_KEY;
}
