import type { Logger } from '../../ground/log.ts';
import { withRetries } from '../../ground/retries.ts';
import { EndedAtStartError } from './launch.ts';
import { findSandboxRefusals, isRoot, type SandboxRefusal } from './sandbox-refusals.ts';

/** Two tries, because a single failed start may be an accident. */
const TWICE = { tries: 2, isRetryable: (error: unknown) => error instanceof EndedAtStartError };

/** Starts browsers with the sandbox that the setting and the machine allow. */
export interface SandboxedLaunch<Browser> {
  /**
   * @throws Error if no browser starts. If the setting requires the sandbox and the sandbox can't start, the message
   * contains the fix
   */
  readonly launch: () => Promise<Browser>;
  /** Undefined until the first browser has started. */
  readonly isSandboxed: () => boolean | undefined;
}

interface SandboxOptions<Browser> {
  /** `auto`: with the sandbox if a browser starts with it. */
  readonly setting: 'auto' | boolean;
  /** @throws EndedAtStartError if the browser ends by itself, as it does when the sandbox can't start */
  readonly launch: (sandbox: boolean) => Promise<Browser>;
  readonly isRoot?: boolean;
  readonly log: Logger;
}

/**
 * Tries to start with the sandbox, because no system file tells reliably whether it works. The first result is kept:
 * killing browsers later can't disable the sandbox.
 */
export function createSandboxedLaunch<Browser>(options: SandboxOptions<Browser>): SandboxedLaunch<Browser> {
  const { setting, launch, log } = options;
  let chosen = setting === 'auto' ? undefined : setting;
  if (setting === 'auto' && (options.isRoot ?? isRoot())) chosen = false;
  if (chosen === false) warn(setting === 'auto' ? findSandboxRefusals() : BY_SETTING, log);
  let isSandboxed: boolean | undefined;

  const launchFirst = async (): Promise<Browser> => {
    try {
      const browser = await withRetries(() => launch(true), TWICE);
      chosen = true;
      return browser;
    } catch (error) {
      if (!(error instanceof EndedAtStartError)) throw error;
      log.debug({ err: error }, 'the browser does not start with its sandbox');
    }
    const browser = await launch(false); // throws if the sandbox was not the cause: then the result stays unknown
    chosen = false;
    warn(findSandboxRefusals(), log);
    return browser;
  };

  const launchInsisting = async (): Promise<Browser> => {
    try {
      return await launch(true);
    } catch (error) {
      if (setting !== true || !(error instanceof EndedAtStartError)) throw error;
      const { reason, fix } = inOneSentence(findSandboxRefusals());
      throw new Error(`BROWSER_SANDBOX=true, and the browser does not start with its sandbox: ${reason}; ${fix}`, {
        cause: error,
      });
    }
  };

  return {
    launch: async () => {
      const browser = await (chosen === undefined ? launchFirst() : chosen ? launchInsisting() : launch(false));
      isSandboxed = chosen;
      return browser;
    },
    isSandboxed: () => isSandboxed,
  };
}

const BY_SETTING: readonly SandboxRefusal[] = [
  { name: 'setting', reason: 'BROWSER_SANDBOX is false', fix: 'set BROWSER_SANDBOX=auto' },
];

function warn(refusals: readonly SandboxRefusal[], log: Logger): void {
  const { reason, fix } = inOneSentence(refusals);
  log.warn({ reasons: refusals.map(({ name }) => name) }, `the browser runs without its sandbox: ${reason}; ${fix}`);
}

function inOneSentence(refusals: readonly SandboxRefusal[]): { reason: string; fix: string } {
  return {
    reason: refusals.map(({ reason }) => reason).join(', and '),
    fix: refusals.map(({ fix }) => fix).join('; and '),
  };
}
