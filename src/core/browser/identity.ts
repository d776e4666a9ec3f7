import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Protocol } from 'puppeteer';

const VERSION_TIMEOUT_MS = 20_000; // it takes 20 ms; a cold disk may need seconds to read 200 MB

const MAX_USER_AGENT_LENGTH = 1_024;
/** Completes the sentence that a user agent `must be`. */
export const USER_AGENT_FORM = `1 to ${MAX_USER_AGENT_LENGTH} visible ASCII characters and spaces`;

export function isUserAgent(text: string): boolean {
  return text.length <= MAX_USER_AGENT_LENGTH && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

/** What a browser tells pages about itself: user agent, `navigator.platform` and client hints. */
export type Identity = Pick<
  Protocol.Emulation.SetUserAgentOverrideRequest,
  'userAgent' | 'platform' | 'userAgentMetadata'
>;

/** Names of systems in Chrome's user agents, which say nothing about their versions. */
const SYSTEMS: Readonly<Record<string, string>> = {
  darwin: 'Macintosh; Intel Mac OS X 10_15_7',
  linux: 'X11; Linux x86_64',
};

/** A browser, and the environment variables that it needs. */
interface Program {
  readonly path: string;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the user agent of this browser with a window. It must be known before the start, because the browser sends it
 * for service and shared workers without asking. Undefined if the program does not tell its version, as on
 * Windows.
 */
export async function usualUserAgent({ path, environment }: Program): Promise<string | undefined> {
  const options = { env: { ...environment }, timeout: VERSION_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  const { stdout } = await promisify(execFile)(path, ['--version'], options).catch(() => ({ stdout: '' }));
  const [, major] = /\b(\d+)\.\d+\.\d+/.exec(stdout) ?? [];
  const system = SYSTEMS[process.platform];
  if (major === undefined || system === undefined) return undefined;
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
}

/** What the protocol says about a browser. */
type Version = Pick<Protocol.Browser.GetVersionResponse, 'product' | 'userAgent'>;

/**
 * Returns the identity that a browser of this version has with a window: servers and pages treat one that says
 * `Headless` as a robot. With a user agent of the operator, it has no client hints, which would tell something else.
 */
export function identityOf({ product, userAgent }: Version, ownUserAgent?: string): Identity {
  if (ownUserAgent !== undefined) return { userAgent: ownUserAgent };
  const version = product.split('/', 2)[1] ?? '';
  const [major = version] = version.split('.', 1);
  return {
    userAgent: userAgent.replace(/Headless(Chrome)\/[\d.]+/, `$1/${major}.0.0.0`),
    userAgentMetadata: {
      brands: brandsOf(major),
      fullVersionList: brandsOf(version),
      platform: platformOf(userAgent),
      platformVersion: '',
      architecture: process.arch.startsWith('arm') ? 'arm' : 'x86',
      bitness: '64',
      model: '',
      mobile: false,
    },
  };
}

/** Returns the brands of Chrome for client hints. */
export function brandsOf(version: string): Protocol.Emulation.UserAgentBrandVersion[] {
  return [
    { brand: 'Chromium', version },
    { brand: 'Google Chrome', version },
    { brand: 'Not)A;Brand', version: '24' },
  ];
}

function platformOf(userAgent: string): string {
  if (userAgent.includes('Macintosh')) return 'macOS';
  return userAgent.includes('Windows') ? 'Windows' : 'Linux';
}
