import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { JobRedis } from '../connect.ts';

type Transaction = ReturnType<JobRedis['multi']>;
type Extend = (transaction: Transaction) => void;

/**
 * Extends the transactions in which BullMQ adds jobs. BullMQ names its scripts by their hashes, and a server that was restarted or
 * flushed no longer has them: inside MULTI this fails, with no second try. Here the first use of a script in a transaction carries its
 * text (30 KB for a job with a webhook), so the transaction depends on nothing that the server could have lost.
 */
export function createTransactions(client: JobRedis) {
  const scripts = new Map<string, string>();
  const extension = new AsyncLocalStorage<Extend>();

  const multi = (): Transaction => {
    const transaction = client.multi();
    extension.getStore()?.(transaction);
    const { evalSha } = transaction;
    const sent = new Set<string>();
    const run: typeof evalSha = (hash, options) => {
      const text = scripts.get(String(hash));
      if (text === undefined || sent.has(text)) return evalSha.call(transaction, hash, options);
      sent.add(text);
      return transaction.eval(text, options);
    };
    return Object.assign(transaction, { evalSha: run });
  };
  const scriptLoad = async (text: string): Promise<string> => {
    const hash = createHash('sha1').update(text).digest('hex');
    scripts.set(hash, text);
    return hash;
  };

  return {
    /** The client for BullMQ, which shares the connection of the given client. */
    client: Object.assign<JobRedis, object>(Object.create(client), { multi, scriptLoad }),
    /** Runs `add`, and puts the commands of `extend` at the start of each transaction that it makes. */
    withCommands: <T>(extend: Extend, add: () => Promise<T>): Promise<T> => extension.run(extend, add),
  };
}
