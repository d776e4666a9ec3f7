import { asError, withTimeout } from '../../core/ground/timeouts.ts';

/** A command and its arguments, as Redis documents them. */
export type RedisCommand = readonly (string | Buffer)[];

/** One connection to Redis. It is never repaired: its owner destroys it and opens another. */
export interface RedisConnection {
  /** Returns the reply: null, a number, a Buffer, or an array of them. Rejects with the errors of Redis. */
  readonly send: (command: RedisCommand) => Promise<unknown>;
  /** Closes it at once and rejects pending replies. Idempotent. */
  readonly destroy: () => void;
}

/**
 * Opens a connection. Calls `onLost` when it breaks, possibly several times. Rejects after `timeoutMs` at the latest.
 */
export type OpenRedis = (options: {
  readonly onLost: (error: Error) => void;
  readonly timeoutMs: number;
}) => Promise<RedisConnection>;

/** Returns a function that opens connections to a Redis URL, `redis://` or `rediss://`. */
export function createOpenRedis(url: string): OpenRedis {
  return async ({ onLost, timeoutMs }) => {
    // a quarter of all modules of a start, so loaded only with Redis
    const { createClient, RESP_TYPES } = await import('@redis/client');
    const client = createClient({
      url,
      RESP: 2,
      // The library's queue would send commands later, when no client waits for them.
      disableOfflineQueue: true,
      socket: { connectTimeout: timeoutMs, reconnectStrategy: false },
    });
    client.on('error', (error: unknown) => onLost(asError(error)));
    const destroy = (): void => {
      if (client.isOpen) client.destroy();
    };
    try {
      // The library's time limit ends when TCP is connected, but a hanging Redis would never complete the handshake.
      await withTimeout(client.connect(), timeoutMs, () => new Error(`no connection within ${timeoutMs} ms`));
    } catch (error) {
      destroy();
      throw error;
    }
    return {
      send: (command) => client.sendCommand(command, { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }),
      destroy,
    };
  };
}
