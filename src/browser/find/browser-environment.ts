import { homedir } from 'node:os';
import type { BrowserSearch } from './executable.ts';
import { homeVariables, USUAL_LOCALE, type Home } from '../locale.ts';

/**
 * What the browser gets of our environment: how to find programs, libraries and fonts, and its time zone. Not its language:
 * with the LANG=C.UTF-8 of many a container, `navigator.language` was `en-US@posix`, which no formatter takes.
 */
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'TZ', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE', 'XDG_DATA_DIRS'];

export interface BrowserEnvironment {
  readonly search: BrowserSearch;
  readonly variables: Readonly<Record<string, string>>;
  /** What the variables say, for the command line. */
  readonly locale: string;
}

/** Where to look for a browser, and the few variables that it is given: none of our secrets is among them. */
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
