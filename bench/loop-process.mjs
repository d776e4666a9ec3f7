import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createProcessTree } from './process-tree.mjs';

const SCRIPT = fileURLToPath(new URL('./loops.mjs', import.meta.url));
const CLOSE_LIMIT_MS = 10_000;

/**
 * A loop of plain Puppeteer in a separate process, so that neither the fixture site nor the HTTP clients of the
 * bench use its processor time, and its memory is measured separately. The caller closes it.
 */
export async function openLoop(kind, label) {
  const child = fork(SCRIPT, [kind], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const { browserVersion } = await answer(child);
  return {
    label,
    browserVersion,
    tree: createProcessTree(child.pid),
    run: async (order) => {
      const answered = answer(child);
      child.send(order);
      const { round, failure } = await answered;
      if (failure !== undefined) throw new Error(`${label}: ${failure}`);
      return round;
    },
    close: async () => {
      if (child.connected) child.disconnect(); // the child closes its browser and exits
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Returns the next message of the child. @throws Error if the child exits instead */
function answer(child) {
  return new Promise((resolve, reject) => {
    const onMessage = (message) => {
      child.off('exit', onExit);
      resolve(message);
    };
    const onExit = (code) => {
      child.off('message', onMessage);
      reject(new Error(`the Puppeteer loop ended with exit code ${code}`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}
