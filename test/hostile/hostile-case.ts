import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DnsAnswer } from '../support/dns-server.ts';

/** Where the pages of a case are, and what they must not reach. All on one port. */
export interface Scene {
  readonly port: number;
  /** Beginning of the case's own pages on a site that may be reached, with a slash at the end. */
  readonly site: string;
  /** The same pages on another site that may be reached. */
  readonly other: string;
  /** A server that may not be reached, and counts who connects. With a slash at the end. */
  readonly canary: string;
  /** An https: site that may be reached, with a certificate that nobody vouches for. */
  readonly tls: string;
  /** The service itself, without a slash at the end. */
  readonly service: string;
  /** Addresses of this machine on other networks than loopback, as in a URL. */
  readonly ownHosts: readonly string[];
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Any answer of the service. */
export interface CaseAnswer {
  readonly status: number;
  readonly headers: Headers | NodeJS.Dict<string | string[]>;
  readonly body: string | Buffer;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What is sent to the service: the fields of a capture, or anything at all. */
export type CaseRequest = Fields | (() => Promise<CaseAnswer>);

/** What an answer amounts to: a capture, or the status and `error_type` of an error. */
export type Outcome = '200' | `${number} ${string}`;

/** What a case may look at when its answers are there. */
export interface Evidence {
  readonly answers: readonly CaseAnswer[];
  readonly scene: Scene;
  /** DNS queries for addresses (`A name`) that the case has caused. */
  readonly queries: readonly string[];
  /** Paths of requests to the sites, in order, that the case has caused. */
  readonly requested: readonly string[];
}

/** One attack, and what must come of it. */
export interface HostileCase {
  /** As in the list that the cases were taken from; never used again for another one. */
  readonly id: string;
  readonly title: string;
  /** Part of every test run; the others are for `npm run test:hostile`. */
  readonly isCore?: boolean;
  /** Why there is nothing to test; such a case has no other members. */
  readonly notApplicable?: string;
  /** Which tests hold it already; such a case has no other members. */
  readonly elsewhere?: string;
  /** Milliseconds to each answer, where they may be more than a capture may take. */
  readonly withinMs?: number;
  /** By path below `site`: markup, or what answers. The first page is at ''. */
  readonly pages?: (scene: Scene) => Readonly<Record<string, string | Handler>>;
  /** Answers of the DNS server, by name, for the n-th query. */
  readonly names?: Readonly<Record<string, (queryNumber: number) => DnsAnswer>>;
  /** The first page alone unless given. */
  readonly requests?: (scene: Scene) => readonly CaseRequest[];
  /** One after the other unless told. */
  readonly atOnce?: boolean;
  /** What every answer must be one of. */
  readonly outcomes?: readonly Outcome[];
  /** At least this number in X-Blocked-Requests of every capture; 0 unless given, which means no header at all. */
  readonly blocked?: number | 'any';
  /** What else must hold; throws when it does not. */
  readonly verify?: (evidence: Evidence) => void | Promise<void>;
}

/** A whole document with this in it. */
export function documentOf(body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Hostile</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
}

/** A document whose script runs while it loads. */
export function scriptPage(script: string): string {
  return documentOf(`<p>text</p><script>${script}</script>`);
}

/** A redirect to an address. */
export function redirectTo(location: string, status = 302): Handler {
  return (_request, response) => {
    response.writeHead(status, { location, 'cache-control': 'no-store' }).end();
  };
}

/** True for a case that these tests run themselves. */
export function isRunHere({ notApplicable, elsewhere }: HostileCase): boolean {
  return notApplicable === undefined && elsewhere === undefined;
}
