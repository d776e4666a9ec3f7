import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DnsAnswer } from '../support/dns-server.ts';

/** Sites of a case, and addresses that its pages must not reach. All on one port. */
export interface Scene {
  readonly port: number;
  /** Base URL of the case's own pages, on an allowed site, with a slash at the end. */
  readonly site: string;
  /** The same pages on another allowed site. */
  readonly other: string;
  /** A server that must not be reached; it counts connections. With a slash at the end. */
  readonly canary: string;
  /** An allowed https: site with an untrusted certificate. */
  readonly tls: string;
  /** The service itself, without a slash at the end. */
  readonly service: string;
  /** Non-loopback addresses of this machine, in URL form. */
  readonly ownHosts: readonly string[];
  /** AUTH_TOKEN of the service. Undefined without keys. */
  readonly token: string | undefined;
  /** Settings KEYS_FILE and TEMPLATES_DIR. Empty without keys. */
  readonly keysFile: string;
  readonly templatesDir: string;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Any answer of the service. */
export interface CaseAnswer {
  readonly status: number;
  readonly headers: Headers | NodeJS.Dict<string | string[]>;
  readonly body: string | Buffer;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A request to the service: the fields of a capture, or a custom request. */
export type CaseRequest = Fields | (() => Promise<CaseAnswer>);

/** The outcome of an answer: a capture, or the status and `error_type` of an error. */
export type Outcome = '200' | `${number} ${string}`;

/** Evidence that a case may check after its answers. */
export interface Evidence {
  readonly answers: readonly CaseAnswer[];
  readonly scene: Scene;
  /** DNS queries for addresses (`A name`) that the case has caused. */
  readonly queries: readonly string[];
  /** Paths of the requests to the sites that the case has caused, in order. */
  readonly requested: readonly string[];
}

/** One attack, and its required outcome. */
export interface HostileCase {
  /** Id in the original list of cases; ids are never reused. */
  readonly id: string;
  readonly title: string;
  /** True if the case is part of every test run; the others run with `npm run test:hostile`. */
  readonly isCore?: boolean;
  /** Reason why there is nothing to test; such a case has no other members. */
  readonly notApplicable?: string;
  /** Tests that already cover the case; such a case has no other members. */
  readonly elsewhere?: string;
  /** Time limit for each answer in milliseconds, if it may exceed the capture timeout. */
  readonly withinMs?: number;
  /** Pages by path below `site`: markup or a handler. The first page is at ''. */
  readonly pages?: (scene: Scene) => Readonly<Record<string, string | Handler>>;
  /** Answers of the DNS server, by name, for the n-th query. */
  readonly names?: Readonly<Record<string, (queryNumber: number) => DnsAnswer>>;
  /** Requests of the case; by default the first page. */
  readonly requests?: (scene: Scene) => readonly CaseRequest[];
  /** If true, the requests are sent concurrently. */
  readonly atOnce?: boolean;
  /** Allowed outcomes of every answer. */
  readonly outcomes?: readonly Outcome[];
  /** Minimum of X-Blocked-Requests in every capture. The default 0 requires that the header is absent. */
  readonly blocked?: number | 'any';
  /** Checks further conditions; throws if one fails. */
  readonly verify?: (evidence: Evidence) => void | Promise<void>;
}

/** Returns a whole document with this body. */
export function documentOf(body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Hostile</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
}

/** Returns a document whose script runs while it loads. */
export function scriptPage(script: string): string {
  return documentOf(`<p>text</p><script>${script}</script>`);
}

/** Returns a redirect to an address. */
export function redirectTo(location: string, status = 302): Handler {
  return (_request, response) => {
    response.writeHead(status, { location, 'cache-control': 'no-store' }).end();
  };
}

/** True if these tests run the case themselves. */
export function isRunHere({ notApplicable, elsewhere }: HostileCase): boolean {
  return notApplicable === undefined && elsewhere === undefined;
}
