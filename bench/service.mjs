import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHttpClient } from './http-client.mjs';
import { JOBS } from './jobs.mjs';
import { createProcessTree } from './process-tree.mjs';
import { runRound } from './round.mjs';

const SCRIPT = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 30_000;

/** Starts the built service as in production, on a free port. The caller closes it. */
export async function startService({ pool, fields = {}, settings = {} }) {
  const child = spawn(process.execPath, [SCRIPT], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      AUTH_TOKEN: '',
      URL_SIGNING_SECRET: '',
      RATE_LIMIT_ENABLED: 'false',
      EGRESS_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      ...(pool !== undefined && { POOL_SIZE: String(pool) }),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C in a terminal ends the bench, which then stops the service
  });
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const close = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS); // the browser ends when its pipe closes
    await exited;
    clearTimeout(timer);
  };
  try {
    const url = await untilReady(child);
    const { browser } = await getJson(new URL('/health', url));
    const tree = createProcessTree(child.pid);
    return {
      url,
      pid: child.pid,
      ...createContender(url, { label: 'service', fields, close }),
      tree,
      browserVersion: browser.version,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Another service with the same interface, at a given address. */
export function openRemoteService(url, fields = {}) {
  const token = process.env['AGAINST_TOKEN'];
  return createContender(url, { label: new URL(url).host, fields, token, close: async () => {} });
}

function createContender(url, { label, fields, token, close }) {
  const client = createHttpClient(url, { token });
  return {
    label,
    run: ({ job, ...order }) => {
      const captureJob = { ...JOBS[job], fields: { ...JOBS[job].fields, ...fields } };
      return runRound({ ...order, path: captureJob.path, capture: (url) => client.capture(url, captureJob) });
    },
    close: async () => {
      client.close();
      await close();
    },
  };
}

/** Returns the listen address after the browser has started and the fonts are checked. */
async function untilReady(child) {
  const timeUp = AbortSignal.timeout(START_LIMIT_MS);
  const url = await Promise.race([
    readAddress(child.stdout),
    new Promise((_, reject) => {
      timeUp.addEventListener('abort', () => reject(new Error('the service did not start in time')));
      child.once('exit', (code) => reject(new Error(`the service ended with exit code ${code}`)));
    }),
  ]);
  while (!(await isIdle(url))) {
    timeUp.throwIfAborted();
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  return url;
}

function readAddress(stdout) {
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdout }).on('line', (line) => {
      if (!line.includes('"msg":"listening"')) return;
      resolve(JSON.parse(line).url);
      lines.close();
      stdout.resume(); // a full pipe would stop the service; parsing it would take processor time from the clients
    });
  });
}

async function isIdle(url) {
  const { browser, pool } = await getJson(new URL('/health', url));
  return browser.connected && pool.busy === 0;
}

async function getJson(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return response.json();
}
