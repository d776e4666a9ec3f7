import { readFileSync } from 'node:fs';

/** Returns the version in package.json, which is beside `src/` and `dist/`. */
export function packageVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  return version;
}
