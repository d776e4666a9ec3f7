import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError, run } from './run.mjs';

/** Puppeteer's own installer, which npm is kept from running (package.json, "puppeteer"): with a browser in place it is not needed. */
const INSTALLER = ['node_modules', 'puppeteer', 'install.mjs'];
const BASE_URL = 'PUPPETEER_CHROME_HEADLESS_SHELL_DOWNLOAD_BASE_URL';
const FIX =
  `let this machine out (HTTPS_PROXY), set ${BASE_URL} to a mirror, install Chromium ` +
  '(on Debian: apt-get install chromium-headless-shell), or set BROWSER_EXECUTABLE to the full path of one.';
/** What the installer's words say about why, in a few. */
const REASONS =
  /server returned code \d+|\b(?:ECONNREFUSED|ENOTFOUND|ETIMEDOUT|ECONNRESET|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOSPC|EACCES|EROFS|CERT_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)\b|connection closed before the download completed|expected \d+ bytes, received \d+ bytes|platform is not supported|Extraction failed[^\n]{0,80}/;
const LEFT_BY_AN_EARLIER_ONE = /The browser folder \(([^)]+)\) exists but the executable/;

/**
 * Downloads the headless shell that Puppeteer is made for into Puppeteer's cache, from where the service takes it. Asks the user's
 * proxy and mirror, and does nothing where PUPPETEER_SKIP_DOWNLOAD forbids it. @throws SetupError when there is none
 */
export async function downloadBrowser(root, { node, say }) {
  if (isForbidden(process.env)) {
    throw new SetupError(
      'No browser was found, and PUPPETEER_SKIP_DOWNLOAD forbids to download one; remove it, install Chromium, ' +
        'or set BROWSER_EXECUTABLE to the full path of one.',
    );
  }
  const startedAt = Date.now();
  let output = await runInstaller(root, { node, say });
  const [, unfinished] = LEFT_BY_AN_EARLIER_ONE.exec(output) ?? [];
  if (unfinished !== undefined) {
    rmSync(unfinished, { recursive: true, force: true });
    output = await runInstaller(root, { node, say });
  }
  if (output.includes('downloaded to')) {
    say(`browser downloaded in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    return;
  }
  const [reason = 'it did not say why'] = REASONS.exec(output) ?? [];
  const from = process.env[BASE_URL] === undefined ? "Google's server" : BASE_URL;
  throw new SetupError(`No browser was found, and none could be downloaded from ${from} (${reason}); ${FIX}`);
}

/** Everything that it says. Its exit code tells nothing: it takes a failure for no reason to stop npm. */
async function runInstaller(root, { node, say }) {
  const { output } = await run(node, [join(root, ...INSTALLER)], {
    cwd: root,
    env: installerEnvironment(process.env),
    say,
    task: 'downloading a browser',
    onOutput: process.stderr.isTTY ? (chunk) => process.stderr.write(chunk) : undefined,
  });
  return output;
}

/** The shell alone, although package.json says nothing at all; by npm's proxy where the environment names none. */
function installerEnvironment(environment) {
  const proxies = {
    HTTPS_PROXY: environment.npm_config_https_proxy ?? environment.npm_config_proxy,
    HTTP_PROXY: environment.npm_config_proxy,
    NO_PROXY: environment.npm_config_noproxy,
  };
  const given = Object.entries(proxies).filter(
    ([name, value]) =>
      value && environment[name] === undefined && environment[name.toLowerCase()] === undefined,
  );
  return {
    ...environment,
    ...Object.fromEntries(given),
    npm_config_loglevel: 'notice', // `npm start --silent` would silence where it was downloaded to
    NODE_USE_ENV_PROXY: '1',
    PUPPETEER_SKIP_DOWNLOAD: 'false',
    PUPPETEER_CHROME_SKIP_DOWNLOAD: 'true',
    PUPPETEER_CHROME_HEADLESS_SHELL_SKIP_DOWNLOAD: 'false',
    PUPPETEER_FIREFOX_SKIP_DOWNLOAD: 'true',
  };
}

function isForbidden(environment) {
  const names = ['PUPPETEER_SKIP_DOWNLOAD', 'PUPPETEER_CHROME_HEADLESS_SHELL_SKIP_DOWNLOAD'];
  return names.some((name) => !['', '0', 'false', 'off'].includes((environment[name] ?? '').toLowerCase()));
}
