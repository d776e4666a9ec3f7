import type { Config } from '../config/settings.ts';
import type { KeyRing } from '../access/key-ring.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from '../ground/log.ts';
import type { Tracer } from '../ground/tracer.ts';

/** State that all parts of the service share while they are created. */
export interface ServiceContext {
  readonly config: Config;
  /** Values of the settings, of the core and of all parts, that affect the result of captures. */
  readonly shaping: Readonly<Record<string, unknown>>;
  readonly keys: KeyRing;
  /** Each part registers how it is closed. Parts close in reverse order of their creation. */
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
  readonly version: string;
  /** Unix seconds. */
  readonly now: () => number;
  /** Undefined: requests and jobs are not traced. */
  readonly tracer: Tracer | undefined;
  readonly shutdown: ShutdownState;
}

/** Steps of the shutdown that captures and health checks report. */
interface ShutdownState {
  /** Health checks report not ready. */
  isShuttingDown: boolean;
  /** New captures are refused. */
  isRefusing: boolean;
}
