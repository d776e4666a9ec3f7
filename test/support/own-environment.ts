/** Of the environment of the tests, what a process of ours needs to find a browser on this machine, and to start sooner. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'BROWSER_EXECUTABLE',
  'PUPPETEER_CACHE_DIR',
  'LD_LIBRARY_PATH',
  'NODE_COMPILE_CACHE',
];

/** No setting of a developer is in it. */
export function ownEnvironment(): Record<string, string> {
  const given = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}
