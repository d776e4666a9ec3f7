import './core/config/require-node.ts';
import { readEnvironment } from './core/config/environment.ts';
import { ConfigError } from './core/config/load.ts';
import { serve } from './serve.ts';

/** Prints to standard error, because the log settings may be wrong. */
function fail(error: unknown): void {
  const message = error instanceof ConfigError ? `Settings problem:\n${error.message}` : String(error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

process.on('unhandledRejection', (error) => {
  process.stderr.write(
    `Unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});

await serve(readEnvironment()).catch(fail);
