import { homedir } from 'node:os';
import type { BrowserSearch } from './executable.ts';
import { homeVariables, USUAL_LOCALE, type Home } from '../locale.ts';

/**
 * Environment variables that the browser gets: for programs, libraries, fonts and the time zone. Not the language: with
 * `LANG=C.UTF-8`, as in many containers, `navigator.language` was `en-US@posix`, which no formatter accepts.
 */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'TZ', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE', 'XDG_DATA_DIRS'];

export interface BrowserEnvironment {
  readonly search: BrowserSearch;
  readonly variables: Readonly<Record<string, string>>;
  /** Language of the browser, set by environment variables. */
  readonly locale: string;
}

/**
 * Returns the paths to search for a browser, and the environment variables to pass to it. These variables contain no
 * secrets.
 */
export function browserEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  home: Home = { locale: USUAL_LOCALE },
): BrowserEnvironment {
  const given = PASSED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    search: {
      path: environment['PATH'] ?? '',
      home: environment['HOME'] ?? homedir(),
      cacheDir: environment['PUPPETEER_CACHE_DIR'],
    },
    variables: { ...Object.fromEntries(given), ...homeVariables(home) },
    locale: home.locale,
  };
}
