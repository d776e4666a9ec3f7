import type { Logger } from '../../log.ts';
import { withRetries } from '../../retries.ts';
import { EndedAtStartError } from './launch.ts';
import { findSandboxRefusals, isRoot, type SandboxRefusal } from './sandbox-refusals.ts';

/** What ends a browser once may be an accident. */
const TWICE = { tries: 2, isWorthIt: (error: unknown) => error instanceof EndedAtStartError };

/** Starts browsers with the sandbox that the setting and the machine allow. */
export interface SandboxedLaunch<Browser> {
  /** @throws Error when none starts; where the setting insists on a sandbox and there is none, it says what to do. */
  readonly launch: () => Promise<Browser>;
  /** Undefined until the first browser has started. */
  readonly isSandboxed: () => boolean | undefined;
}

interface SandboxOptions<Browser> {
  /** `auto`: with a sandbox wherever a browser starts with one. */
  readonly setting: 'auto' | boolean;
  /** @throws EndedAtStartError when the browser ends by itself, as it does without the sandbox that it wants. */
  readonly launch: (sandbox: boolean) => Promise<Browser>;
  readonly isRoot?: boolean;
  readonly log: Logger;
}

/**
 * Tries, as no file of the system tells for sure whether a sandbox starts. What was found out at the first start is kept: a browser
 * that dies later, however often, can not talk us out of the sandbox.
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
    const browser = await launch(false); // fails where it was not the sandbox: nothing is known then
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
      throw new Error(
        `BROWSER_SANDBOX=true, and the browser does not start with its sandbox: ${reason}; ${fix}`,
        { cause: error },
      );
    }
  };

  return {
    launch: async () => {
      const browser = await (chosen === undefined
        ? launchFirst()
        : chosen
          ? launchInsisting()
          : launch(false));
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
  log.warn(
    { reasons: refusals.map(({ name }) => name) },
    `the browser runs without its sandbox: ${reason}; ${fix}`,
  );
}

function inOneSentence(refusals: readonly SandboxRefusal[]): { reason: string; fix: string } {
  return {
    reason: refusals.map(({ reason }) => reason).join(', and '),
    fix: refusals.map(({ fix }) => fix).join('; and '),
  };
}
