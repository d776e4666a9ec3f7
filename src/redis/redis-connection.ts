import { asError, withTimeout } from '../timeouts.ts';

/** A command and its arguments, as Redis documents them. */
export type RedisCommand = readonly (string | Buffer)[];

/** One connection. It is never mended: whoever opened it destroys it and opens another. */
export interface RedisConnection {
  /** The reply: null, a number, a Buffer, or an array of them. Rejects with Redis' own errors. */
  readonly send: (command: RedisCommand) => Promise<unknown>;
  /** Ends it at once; what waits for a reply is rejected. Safe to call twice. */
  readonly destroy: () => void;
}

/** Opens a connection; `onLost` is told when it breaks, once or more often. Rejects after `timeoutMs` at the latest. */
export type OpenRedis = (options: {
  readonly onLost: (error: Error) => void;
  readonly timeoutMs: number;
}) => Promise<RedisConnection>;

/** How to open connections to the Redis at an address, `redis://` or `rediss://`. */
export function createOpenRedis(url: string): OpenRedis {
  return async ({ onLost, timeoutMs }) => {
    const { createClient, RESP_TYPES } = await import('@redis/client'); // a quarter of all that a start loads, for those who have a Redis
    const client = createClient({
      url,
      RESP: 2,
      // It would keep what is asked while Redis is away and send it later, when nobody waits for it.
      disableOfflineQueue: true,
      socket: { connectTimeout: timeoutMs, reconnectStrategy: false },
    });
    client.on('error', (error: unknown) => {
      onLost(asError(error));
    });
    const destroy = (): void => {
      if (client.isOpen) client.destroy();
    };
    try {
      // Its own time limit ends with the TCP connection: a Redis that hangs would never greet.
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
