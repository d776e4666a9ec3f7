import { homedir } from 'node:os';
import type { BrowserSearch } from './executable.ts';

/** What the browser gets of our environment: how to find programs, libraries and fonts, and where on earth it is. */
const PASSED_ON = [
  'PATH',
  'LD_LIBRARY_PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'FONTCONFIG_PATH',
  'FONTCONFIG_FILE',
  'XDG_DATA_DIRS',
];

export interface BrowserEnvironment {
  readonly search: BrowserSearch;
  readonly variables: Readonly<Record<string, string>>;
}

/** Where to look for a browser, and the few variables that it is given: none of our secrets is among them. */
export function browserEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
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
    variables: { LANG: 'en_US.UTF-8', ...Object.fromEntries(given) },
  };
}
