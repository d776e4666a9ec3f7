/**
 * Variables of the test environment that child processes need to find a browser on this machine and to start faster.
 */
const PASSED_ON = [
  'PATH',
  'HOME',
  'BROWSER_EXECUTABLE',
  'PUPPETEER_CACHE_DIR',
  'LD_LIBRARY_PATH',
  'NODE_COMPILE_CACHE',
];

/** Returns an environment without settings of a developer. */
export function ownEnvironment(): Record<string, string> {
  const given = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}
