import { createContext, Script } from 'node:vm';

/** Runs work with a time limit in milliseconds. Undefined on timeout. Other errors are rethrown. */
export type RegexTimeout = <T>(work: () => T, limitMs: number) => T | undefined;

/**
 * Creates the only way to interrupt busy code in this thread, such as a regular expression on a hostile text. Takes 0.1
 * ms of processor time per call (2026-11-22).
 */
export function createRegexTimeout(): RegexTimeout {
  const context = createContext({ work: (): void => undefined });
  const script = new Script('work()');
  return (work, limitMs) => {
    let result;
    context['work'] = () => (result = work());
    try {
      script.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) });
    } catch (error) {
      if (!isTimeout(error)) throw error;
    } finally {
      context['work'] = undefined; // otherwise the context keeps the closure in memory
    }
    return result;
  };
}

function isTimeout(error: unknown): boolean {
  // Compares the code, because the error may come from the other context.
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
