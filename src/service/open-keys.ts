import { FIELD_NAMES } from '../capture/request/options.ts';
import { ConfigError } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { createKeyRing, type KeyRing } from '../keys/key-ring.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../log.ts';

/**
 * Reads the keys of the service. Reads KEYS_FILE again when it changes, and on SIGHUP.
 * @throws ConfigError if the file is invalid
 */
export function openKeys(config: Config, log: Logger, lifecycle: Lifecycle): KeyRing {
  const keys = readKeys(config, log);
  if (config.keysFile !== undefined) process.on('SIGHUP', keys.reload);
  lifecycle.onClose({
    name: 'keys',
    timeoutMs: 100,
    close: async () => {
      process.off('SIGHUP', keys.reload);
      keys.close();
    },
  });
  return keys;
}

function readKeys(config: Config, log: Logger): KeyRing {
  try {
    return createKeyRing({ ...config, fieldNames: new Set(FIELD_NAMES), now: Date.now, log });
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}
