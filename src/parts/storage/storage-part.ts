import type { StorageSettings } from './storage-setting.ts';
import { createStoreResult } from './routes/store-result.ts';
import type { StoredLinkState } from './routes/stored-link.ts';
import type { MetricsState } from '../metrics/metrics.ts';
import type { Part } from '../../core/part.ts';
import { createStorage } from './create-storage.ts';
import type { StorageState } from './storage.ts';

/** Keeps results in a folder or a bucket. */
export const STORAGE: Part<MetricsState & { readonly config: StorageSettings }, StorageState & StoredLinkState> = {
  open: async (core) => {
    const { config, lifecycle, log, metrics } = core;
    const opened = await createStorage({ ...config, log, record: metrics.recordStorage });
    const resultStorage = opened?.storage;
    lifecycle.onClose({
      name: 'storage',
      timeoutMs: 100,
      close: async () => resultStorage?.[Symbol.asyncDispose](),
    });
    return {
      state: { resultStorage, checkStoredLink: opened?.checkLink },
      ports: { storeResult: resultStorage && createStoreResult(resultStorage, core) },
    };
  },
};
