import { createMutex } from '../../core/ground/mutex.ts';
import { serveCalls } from '../../core/processes/peer-calls.ts';
import { describeProblem, needsReopening } from './database-problem.ts';

/**
 * Answers the calls of `createDatabaseThread` in its worker thread, in the order of their arrival. The first call opens
 * the database, and the first one after a failure of its file opens it again.
 * @param file its name, for errors
 */
export function serveDatabase(open: () => Promise<{ readonly close: () => void }>, file: string): void {
  let opened: { readonly close: () => void } | undefined;
  const close = (): void => {
    const closing = opened;
    opened = undefined;
    closing?.close();
  };
  const run = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    try {
      opened ??= await open();
      return Reflect.apply(Reflect.get(opened, name), opened, args);
    } catch (error) {
      if (needsReopening(error)) close();
      throw describeProblem(error, file);
    }
  };
  const serialized = createMutex();
  serveCalls({
    run: ({ name, args }) => serialized(() => run(name, args)),
    close: () => serialized(async () => close()),
  });
}
