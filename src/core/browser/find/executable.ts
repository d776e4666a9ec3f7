import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { Browser, detectBrowserPlatform, getInstalledBrowsers, getVersionComparator } from '@puppeteer/browsers';
import { embeddedBrowserIn, type EmbeddedBrowser, findEmbeddedBrowser, readProgramFile } from './embedded-browser.ts';

/** `headless-shell` is the small browser without windows, `chrome` a full Chrome or Chromium. */
type BrowserKind = 'headless-shell' | 'chrome';

/** A browser program and the environment that it needs. */
export interface BrowserExecutable {
  /** The program itself, never a wrapper script: killing this process ends the browser. */
  readonly path: string;
  readonly kind: BrowserKind;
  readonly source: 'setting' | 'system' | 'puppeteer-cache' | 'embedded';
  /** Additional environment variables for this browser. Usually empty. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Places to search for a browser. */
export interface BrowserSearch {
  /** The setting BROWSER_EXECUTABLE. If set, nothing else is searched. */
  readonly executable?: string | undefined;
  /** The value of PATH. */
  readonly path: string;
  readonly home: string;
  /** Puppeteer's cache. Default: `.cache/puppeteer` in the home folder. */
  readonly cacheDir?: string | undefined;
  /** Root of the system folders, `/` by default. For tests. */
  readonly root?: string | undefined;
  /** Returns the browser of the npm package. For tests. */
  readonly findEmbedded?: ((onUnpack?: () => void) => Promise<EmbeddedBrowser | undefined>) | undefined;
  /** Called before the browser of the npm package is unpacked, which takes seconds. */
  readonly onUnpack?: (() => void) | undefined;
}

interface SystemBrowser {
  readonly kind: BrowserKind;
  readonly names: readonly string[];
  /** Paths where distributions keep the program that the script in /usr/bin starts. */
  readonly places: readonly string[];
}

const SYSTEM_BROWSERS: readonly SystemBrowser[] = [
  {
    kind: 'headless-shell',
    names: ['chrome-headless-shell', 'chromium-headless-shell'],
    places: [
      '/usr/lib/chromium/chromium-headless-shell', // Debian
      '/usr/lib64/chromium-browser/headless_shell', // Fedora
    ],
  },
  {
    kind: 'chrome',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    places: [
      '/usr/lib/chromium/chromium', // Debian, Arch, Alpine
      '/usr/lib/chromium-browser/chromium-browser', // Ubuntu before snaps
      '/usr/lib64/chromium-browser/chromium-browser', // Fedora
      '/opt/google/chrome/chrome', // Google's own packages
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Program Files/Google/Chrome/Application/chrome.exe', // a path on the current drive
    ],
  },
];

/**
 * Returns the browser to run. Order: the setting, the system, Puppeteer's downloads (headless shell before full browser
 * in each), the npm package, which is unpacked at first use.
 * @throws Error with a message for the operator that contains the fix
 */
export async function findBrowser(search: BrowserSearch): Promise<BrowserExecutable> {
  const root = search.root ?? '/';
  if (search.executable !== undefined) return readSetting(search.executable, { ...search, root });

  const ofSystem = await findInSystem(search.path, root);
  if (ofSystem !== undefined) return ofSystem;
  const cached = await findInPuppeteerCache(search.cacheDir ?? join(search.home, '.cache', 'puppeteer'));
  if (cached !== undefined) return describe(cached.path, cached.kind, 'puppeteer-cache');
  const embedded = await (search.findEmbedded ?? findEmbeddedBrowser)(search.onUnpack);
  if (embedded !== undefined) return { ...embedded, kind: 'headless-shell', source: 'embedded' };
  throw new Error(
    'No browser was found; install Chromium (on Debian: apt-get install chromium-headless-shell), run npx puppeteer ' +
      'browsers install chrome-headless-shell, or set BROWSER_EXECUTABLE to the full path of a Chrome or Chromium.',
  );
}

async function readSetting(
  setting: string,
  { root, onUnpack }: { readonly root: string; readonly onUnpack?: (() => void) | undefined },
): Promise<BrowserExecutable> {
  const path = resolve(setting);
  const inPackage = await embeddedBrowserIn(path, onUnpack);
  if (inPackage !== undefined) return { ...inPackage, kind: 'headless-shell', source: 'setting' };
  const file = await readProgramFile(path);
  if (file.kind === 'binary') return describe(file.path, kindByName(file.path), 'setting');
  if (file.kind === 'script') return readWrapper(path, root);
  const found = file.kind === 'missing' ? 'a file that does not exist' : "a file that can't be executed";
  throw new Error(
    `BROWSER_EXECUTABLE names ${found}, ${path}; set it to the full path of a Chrome or Chromium, ` +
      'or unset it to search for one.',
  );
}

async function readWrapper(path: string, root: string): Promise<BrowserExecutable> {
  const known = SYSTEM_BROWSERS.find(({ names }) => names.includes(basename(path)));
  const program = known && (await firstProgram(known.places.map((place) => join(root, place))));
  if (known !== undefined && program !== undefined) return describe(program, known.kind, 'setting');
  throw new Error(
    `BROWSER_EXECUTABLE names a script, ${path}, and ending a script leaves its browser running; ` +
      'set it to the full path of the program that the script starts.',
  );
}

async function findInSystem(path: string, root: string): Promise<BrowserExecutable | undefined> {
  // A relative entry would let the owner of the working directory choose the browser.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  for (const { kind, names, places } of SYSTEM_BROWSERS) {
    const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
    const program = await firstProgram([...onPath, ...places.map((place) => join(root, place))]);
    if (program !== undefined) return describe(program, kind, 'system');
  }
  return undefined;
}

/**
 * Returns the first candidate that is a binary. Scripts are skipped; the programs behind them are in the known places.
 */
async function firstProgram(candidates: readonly string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    const file = await readProgramFile(candidate);
    // /snap/bin/chromium links to snap itself, whose browser can't read our profile folder.
    if (file.kind === 'binary' && basename(file.path) !== 'snap') return file.path;
  }
  return undefined;
}

function describe(path: string, kind: BrowserKind, source: BrowserExecutable['source']): BrowserExecutable {
  return { path, kind, source, environment: {} };
}

function kindByName(path: string): BrowserKind {
  return /headless[-_]shell/.test(basename(path)) ? 'headless-shell' : 'chrome';
}

const KINDS = [
  [Browser.CHROMEHEADLESSSHELL, 'headless-shell'],
  [Browser.CHROME, 'chrome'],
] as const;

interface CachedBrowser {
  readonly path: string;
  readonly kind: 'headless-shell' | 'chrome';
}

/** Returns the newest browser that Puppeteer downloaded for this kind of machine. Prefers a headless shell. */
async function findInPuppeteerCache(cacheDir: string): Promise<CachedBrowser | undefined> {
  const installed = await getInstalledBrowsers({ cacheDir }).catch(() => []); // unreadable for this user
  for (const [browser, kind] of KINDS) {
    const compare = getVersionComparator(browser);
    const builds = installed
      .filter((build) => build.browser === browser && build.platform === detectBrowserPlatform())
      .toSorted((one, other) => compare(other.buildId, one.buildId));
    for (const { executablePath } of builds) {
      const file = await readProgramFile(executablePath);
      if (file.kind === 'binary') return { path: file.path, kind };
    }
  }
  return undefined;
}
